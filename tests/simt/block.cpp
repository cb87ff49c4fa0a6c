// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sinter::simt {
namespace {

/// The runner whose kernel is running: host functions that kernels call have no other way to it. One block at a time.
BlockRunner* current = nullptr;

}  // namespace

BlockRunner::BlockRunner(DeviceMemory& memory) : memory_(memory) {
  table_.load = [](void* to, const void* from, int bytes, int read_only) {
    current->check(current->memory_.load(to, from, static_cast<size_t>(bytes), read_only != 0));
    if (!current->block_->met_others)
      current->check(current->memory_.check_own(from, static_cast<size_t>(bytes), current->table_.block,
                                                current->launch_.threads));
  };
  table_.store = [](void* to, const void* from, int bytes) {
    const uint32_t thread = current->table_.block * current->launch_.threads + current->table_.thread;
    current->check(current->memory_.store(to, from, static_cast<size_t>(bytes), thread));
    current->note_store();
  };
  table_.shared_load = [](void* to, const void* from, int bytes) {
    current->check(current->block_->shared.load(to, from, static_cast<size_t>(bytes), current->toucher()));
  };
  table_.shared_store = [](void* to, const void* from, int bytes) {
    current->check(current->block_->shared.store(to, from, static_cast<size_t>(bytes), current->toucher()));
  };
  table_.block_barrier = [](int line) { current->block_barrier(line); };
  table_.block_or = [](int value, int line) { return current->block_or(value, line); };
  table_.warp_barrier = [](unsigned mask, int line) { current->warp_barrier(mask, line); };
  table_.shuffle = [](unsigned mask, unsigned value, int lane, int is_xor) {
    return current->shuffle(mask, value, lane, is_xor);
  };
  table_.compare_and_swap = [](unsigned long long* at, unsigned long long expected, unsigned long long value) {
    current->check(current->memory_.check(at, sizeof *at, "an atomic access"));
    const unsigned long long old = *at;
    if (old == expected) *at = value;
    return old;
  };
  table_.fence = [] { current->note_fence(); };
  table_.add = [](unsigned* at, unsigned value) {
    current->check(current->memory_.check(at, sizeof *at, "an atomic access"));
    current->note_add();
    const unsigned old = *at;
    *at += value;
    return old;
  };
  // Only counts: what others stored is not read because of it.
  table_.increment = [](unsigned* at, unsigned limit) {
    current->check(current->memory_.check(at, sizeof *at, "an atomic access"));
    const unsigned old = *at;
    *at = old >= limit ? 0 : old + 1;
    return old;
  };
  table_.cluster_arrive = [] { current->cluster_arrive(); };
  table_.cluster_wait = [] { current->cluster_wait(); };
  table_.cluster_load = [](void* to, const void* from, int bytes, unsigned block) {
    current->cluster_load(to, from, static_cast<size_t>(bytes), block);
  };
  table_.expect = [](void* word) { current->check(current->block_->shared.expect(word, current->toucher())); };
  table_.bulk_copy = [](void* to, const void* from, int bytes, void* word) {
    current->bulk_copy(to, from, bytes, word);
  };
  table_.await = [](const void* word) { current->check(current->block_->shared.await(word, current->toucher())); };
  table_.atomic = [](const void* at, int bytes) {
    current->check(current->memory_.check(at, static_cast<size_t>(bytes), "an atomic access"));
  };
}

std::string BlockRunner::run(const Launch& launch) {
  launch_ = launch;
  failure_.clear();
  random_.seed(launch.seed);
  blocks_ = std::vector<Block>(launch.cluster);
  table_.threads = launch.threads;
  table_.blocks = launch.blocks;
  memory_.begin_launch();
  current = this;
  for (unsigned b = 0; b < launch.blocks && failure_.empty(); b += launch.cluster) run_cluster(b);
  current = nullptr;
  return failure_;
}

void BlockRunner::enter(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  thread->runner->launch_.kernel(thread->runner->launch_.slots);
  BlockRunner& runner = *thread->runner;
  if (runner.block_->read_epoch == runner.cluster_epoch_)
    runner.fail("a block ends while another may still read its shared memory");
  if (++runner.block_->ended == runner.launch_.threads) runner.check(runner.block_->shared.end_block());
  thread->state = State::ended;
  thread->fiber.suspend();
}

void BlockRunner::prepare(Block& block, unsigned number) {
  const size_t first_stack = static_cast<size_t>(&block - blocks_.data()) * launch_.threads;
  block = Block{};
  block.number = number;
  block.threads = std::vector<Thread>(launch_.threads);
  block.warps.assign((launch_.threads + 31) / 32, {});
  for (unsigned i = 0; i < launch_.threads; ++i) {
    Thread& t = block.threads[i];
    t.runner = this;
    t.index = i;
    t.fiber.prepare(stacks_.stack(first_stack + i), enter, &t);
  }
}

/// The memory is one array of the kernel's code, so blocks take turns with it.
void BlockRunner::take_turn(Block& block) {
  if (block_ == &block) return;
  if (block_ != nullptr) block_->shared.leave();
  block_ = &block;
  block.shared.enter();
}

void BlockRunner::run_cluster(unsigned first) {
  block_ = nullptr;
  at_cluster_barrier_ = 0;
  cluster_epoch_ = 1;
  for (unsigned i = 0; i < launch_.cluster; ++i) {
    prepare(blocks_[i], first + i);
    if (block_ != nullptr) block_->shared.leave();
    block_ = &blocks_[i];
    block_->shared.begin_block(launch_.shared, launch_.shared_bytes);
  }
  fill_order(order_, launch_.threads);
  fill_order(block_order_, launch_.cluster);
  while (failure_.empty()) {
    bool progress = false;
    if (launch_.order == Order::random) std::shuffle(block_order_.begin(), block_order_.end(), random_);
    for (unsigned b : block_order_) {
      progress = run_threads(blocks_[b]) || progress;
      if (!failure_.empty()) return;
    }
    if (std::ranges::all_of(blocks_, &Block::has_ended)) return;
    if (!progress) failure_ = fmt::format("block {}: {}", first, stuck());
  }
}

/// Each thread that can runs until it waits for something; did one?
bool BlockRunner::run_threads(Block& block) {
  bool progress = false;
  if (launch_.order == Order::random) std::shuffle(order_.begin(), order_.end(), random_);
  for (unsigned i : order_) {
    Thread& t = block.threads[i];
    if (t.state != State::ready) continue;
    take_turn(block);
    running_ = &t;
    table_.block = block.number;
    table_.thread = i;
    t.fiber.resume();
    progress = true;
    if (!failure_.empty()) break;
  }
  return progress;
}

void BlockRunner::fill_order(std::vector<unsigned>& order, size_t n) const {
  order.resize(n);
  std::iota(order.begin(), order.end(), 0u);
  if (launch_.order == Order::reverse) std::ranges::reverse(order);
}

/// The failing thread never goes on: there may be frames of kernel code without unwind tables on its stack. What its
/// frames own would be lost, so they own nothing by then.
void BlockRunner::fail(std::string&& what) {
  record_failure(std::move(what));
  running_->fiber.suspend();
  __builtin_trap();
}

void BlockRunner::record_failure(std::string what) {
  failure_ = fmt::format("block {}, thread {}: {}", table_.block, table_.thread, what);
}

void BlockRunner::wait(State state, int line) {
  Thread& t = *running_;
  t.state = state;
  t.line = line;
  t.fiber.suspend();
}

std::string BlockRunner::stuck() const {
  constexpr const char* names[] = {"ready",        "at __syncthreads",         "at __syncwarp",
                                   "at a shuffle", "at the cluster's barrier", "at its end"};
  std::string s = "threads wait for each other in vain:";
  const Thread* last = nullptr;
  for (const Block& b : blocks_)
    for (const Thread& t : b.threads) {
      if (last != nullptr && last->state == t.state && last->line == t.line) continue;
      s += fmt::format(" thread {} {}", t.index, names[static_cast<size_t>(t.state)]);
      if (blocks_.size() > 1) s += fmt::format(" of block {}", b.number);
      if (t.line > 0) s += fmt::format(" in line {}", t.line);
      s += ";";
      last = &t;
    }
  return s;
}

Toucher BlockRunner::toucher() const {
  return {static_cast<int>(table_.thread), block_->epoch, block_->warps[table_.thread / 32].epoch, cluster_epoch_};
}

void BlockRunner::block_barrier(int line) {
  for (const Thread& t : block_->threads)
    if (t.state == State::at_block_barrier && t.line != line)
      fail(fmt::format("__syncthreads in line {} while thread {} is at the one in line {}", line, t.index, t.line));
  if (++block_->at_barrier < launch_.threads) {
    wait(State::at_block_barrier, line);
    return;
  }
  block_->at_barrier = 0;
  ++block_->epoch;
  block_->any[block_->epoch & 1] = 0;
  for (Thread& t : block_->threads)
    if (t.state == State::at_block_barrier) t.state = State::ready;
}

/// What a block stores is there for others once it has met them: barriers part the two.
void BlockRunner::note_store() {
  if (block_->add_epoch == block_->epoch + 1 && block_->add_thread != table_.thread)
    fail(fmt::format("a store while thread {} meets other blocks, no barrier between", block_->add_thread));
  block_->store_thread =
      block_->store_epoch != block_->epoch + 1 || block_->store_thread == table_.thread ? table_.thread : several;
  block_->store_epoch = block_->epoch + 1;
}

void BlockRunner::note_fence() {
  if (block_->add_epoch == block_->epoch + 1 && block_->add_thread == table_.thread) block_->met_others = true;
  block_->fence_epoch = block_->epoch + 1;
  block_->fence_thread = table_.thread;
}

void BlockRunner::note_add() {
  if (block_->fence_epoch != block_->epoch + 1 || block_->fence_thread != table_.thread)
    fail("the block meets others without a fence behind its barrier");
  if (block_->store_epoch == block_->epoch + 1 && block_->store_thread != table_.thread)
    fail("the block meets others while another thread stores, no barrier between");
  block_->add_epoch = block_->epoch + 1;
  block_->add_thread = table_.thread;
}

int BlockRunner::block_or(int value, int line) {
  int& any = block_->any[block_->epoch & 1];  // a fast thread may be at the next barrier already
  if (value != 0) any = 1;
  block_barrier(line);
  return any;
}

void BlockRunner::warp_barrier(unsigned mask, int line) {
  if (mask != 0xffffffffu) fail(fmt::format("__syncwarp of the lanes {:#x}", mask));
  arrive_in_warp(State::at_warp_barrier, line);
}

void BlockRunner::arrive_in_warp(State state, int line) {
  const unsigned w = running_->index / 32;
  Warp& warp = block_->warps[w];
  for (unsigned i = 32 * w; i < std::min(32 * w + 32, launch_.threads); ++i) {
    const Thread& t = block_->threads[i];
    const bool other = (t.state == State::at_warp_barrier || t.state == State::at_shuffle) &&
                       (t.state != state || t.line != line || t.is_xor != running_->is_xor);
    if (other) fail(fmt::format("lanes of a warp meet at different places; thread {} is elsewhere", t.index));
  }
  if (++warp.waiting < 32) {
    wait(state, line);
    return;
  }
  warp.waiting = 0;
  if (state == State::at_warp_barrier) ++warp.epoch;  // a shuffle orders no memory
  for (unsigned i = 32 * w; i < std::min(32 * w + 32, launch_.threads); ++i)
    if (block_->threads[i].state == state) block_->threads[i].state = State::ready;
}

unsigned BlockRunner::shuffle(unsigned mask, unsigned value, int lane, int is_xor) {
  if (mask != 0xffffffffu) fail(fmt::format("a shuffle of the lanes {:#x}", mask));
  if (lane < 0 || lane > 31) fail(fmt::format("a shuffle from lane {}", lane));
  Thread& me = *running_;
  const unsigned own = me.index % 32;
  Warp& warp = block_->warps[me.index / 32];
  auto& values = warp.values[me.rounds++ & 1];  // two sets: a fast lane may be at the next shuffle already
  values[own] = value;
  me.is_xor = is_xor;
  arrive_in_warp(State::at_shuffle, 0);
  return values[is_xor != 0 ? own ^ static_cast<unsigned>(lane) : static_cast<unsigned>(lane)];
}

void BlockRunner::cluster_arrive() {
  if (running_->has_arrived) fail("arrives at the cluster's barrier twice");
  running_->has_arrived = true;
  running_->arrived_epoch = cluster_epoch_;
  if (++at_cluster_barrier_ < static_cast<size_t>(launch_.threads) * launch_.cluster) return;
  at_cluster_barrier_ = 0;
  ++cluster_epoch_;
  for (Block& b : blocks_) {
    ++b.epoch;
    b.any[b.epoch & 1] = 0;
    for (Thread& t : b.threads)
      if (t.state == State::at_cluster_barrier) t.state = State::ready;
  }
}

void BlockRunner::cluster_wait() {
  if (!running_->has_arrived) fail("waits at the cluster's barrier without having arrived");
  if (running_->arrived_epoch == cluster_epoch_) wait(State::at_cluster_barrier, 0);
  running_->has_arrived = false;
}

void BlockRunner::cluster_load(void* to, const void* from, size_t bytes, unsigned block) {
  if (block >= launch_.cluster) fail(fmt::format("a load from block {} of a cluster of {}", block, launch_.cluster));
  if (blocks_[block].has_ended()) fail(fmt::format("a load from block {} of the cluster, which has ended", block));
  check(blocks_[block].shared.load_for_other(to, from, bytes, toucher()));
  if (&blocks_[block] != block_) blocks_[block].read_epoch = cluster_epoch_;
}

void BlockRunner::bulk_copy(void* to, const void* from, int bytes, const void* word) {
  if (bytes < 0 || bytes % 16 != 0) fail(fmt::format("a bulk copy of {} bytes", bytes));
  copied_.resize(static_cast<size_t>(bytes));
  for (size_t b = 0; b < copied_.size(); b += 16)
    check(memory_.load(copied_.data() + b, static_cast<const std::byte*>(from) + b, 16, true));
  check(block_->shared.copy(to, copied_.data(), copied_.size(), word, toucher()));
}

}  // namespace sinter::simt
