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
    if (!current->met_others_)
      current->check(current->memory_.check_own(from, static_cast<size_t>(bytes), current->table_.block,
                                                current->launch_.threads));
  };
  table_.store = [](void* to, const void* from, int bytes) {
    const uint32_t thread = current->table_.block * current->launch_.threads + current->table_.thread;
    current->check(current->memory_.store(to, from, static_cast<size_t>(bytes), thread));
    current->note_store();
  };
  table_.shared_load = [](void* to, const void* from, int bytes) {
    current->check(current->shared_.load(to, from, static_cast<size_t>(bytes), current->toucher()));
  };
  table_.shared_store = [](void* to, const void* from, int bytes) {
    current->check(current->shared_.store(to, from, static_cast<size_t>(bytes), current->toucher()));
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
  table_.atomic = [](const void* at, int bytes) {
    current->check(current->memory_.check(at, static_cast<size_t>(bytes), "an atomic access"));
  };
}

std::string BlockRunner::run(const Launch& launch) {
  launch_ = launch;
  failure_.clear();
  random_.seed(launch.seed);
  threads_ = std::vector<Thread>(launch.threads);
  table_.threads = launch.threads;
  table_.blocks = launch.blocks;
  memory_.begin_launch();
  current = this;
  for (unsigned b = 0; b < launch.blocks && failure_.empty(); ++b) run_block(b);
  current = nullptr;
  return failure_;
}

void BlockRunner::enter(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  thread->runner->launch_.kernel(thread->runner->launch_.slots);
  thread->state = State::ended;
  thread->fiber.suspend();
}

void BlockRunner::run_block(unsigned block) {
  table_.block = block;
  shared_.begin_block(launch_.shared, launch_.shared_bytes);
  block_epoch_ = 0;
  any_[0] = any_[1] = 0;
  store_epoch_ = add_epoch_ = fence_epoch_ = 0;
  met_others_ = false;
  at_block_barrier_ = 0;
  warps_.assign((launch_.threads + 31) / 32, {});
  for (unsigned i = 0; i < launch_.threads; ++i) {
    Thread& t = threads_[i];
    t.state = State::ready;
    t.rounds = 0;
    t.runner = this;
    t.index = i;
    t.fiber.prepare(stacks_.stack(i), enter, &t);
  }
  fill_order();
  while (failure_.empty()) {
    bool progress = false, all_ended = true;
    if (launch_.order == Order::random) std::shuffle(order_.begin(), order_.end(), random_);
    for (unsigned i : order_) {
      Thread& t = threads_[i];
      if (t.state == State::ready) {
        running_ = &t;
        table_.thread = i;
        t.fiber.resume();
        progress = true;
        if (!failure_.empty()) return;
      }
      all_ended = all_ended && t.state == State::ended;
    }
    if (all_ended) return;
    if (!progress) failure_ = fmt::format("block {}: {}", block, stuck());
  }
}

void BlockRunner::fill_order() {
  order_.resize(launch_.threads);
  std::iota(order_.begin(), order_.end(), 0u);
  if (launch_.order == Order::reverse) std::ranges::reverse(order_);
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
  constexpr const char* names[] = {"ready", "at __syncthreads", "at __syncwarp", "at a shuffle", "at its end"};
  std::string s = "threads wait for each other in vain:";
  const Thread* last = nullptr;
  for (const Thread& t : threads_) {
    if (last != nullptr && last->state == t.state && last->line == t.line) continue;
    s += fmt::format(" thread {} {}", t.index, names[static_cast<size_t>(t.state)]);
    if (t.line > 0) s += fmt::format(" in line {}", t.line);
    s += ";";
    last = &t;
  }
  return s;
}

Toucher BlockRunner::toucher() const {
  return {static_cast<int>(table_.thread), block_epoch_, warps_[table_.thread / 32].epoch};
}

void BlockRunner::block_barrier(int line) {
  for (const Thread& t : threads_)
    if (t.state == State::at_block_barrier && t.line != line)
      fail(fmt::format("__syncthreads in line {} while thread {} is at the one in line {}", line, t.index, t.line));
  if (++at_block_barrier_ < launch_.threads) {
    wait(State::at_block_barrier, line);
    return;
  }
  at_block_barrier_ = 0;
  ++block_epoch_;
  any_[block_epoch_ & 1] = 0;
  for (Thread& t : threads_)
    if (t.state == State::at_block_barrier) t.state = State::ready;
}

/// What a block stores is there for others once it has met them: barriers part the two.
void BlockRunner::note_store() {
  if (add_epoch_ == block_epoch_ + 1 && add_thread_ != table_.thread)
    fail(fmt::format("a store while thread {} meets other blocks, no barrier between", add_thread_));
  store_thread_ = store_epoch_ != block_epoch_ + 1 || store_thread_ == table_.thread ? table_.thread : several;
  store_epoch_ = block_epoch_ + 1;
}

void BlockRunner::note_fence() {
  if (add_epoch_ == block_epoch_ + 1 && add_thread_ == table_.thread) met_others_ = true;
  fence_epoch_ = block_epoch_ + 1;
  fence_thread_ = table_.thread;
}

void BlockRunner::note_add() {
  if (fence_epoch_ != block_epoch_ + 1 || fence_thread_ != table_.thread)
    fail("the block meets others without a fence behind its barrier");
  if (store_epoch_ == block_epoch_ + 1 && store_thread_ != table_.thread)
    fail("the block meets others while another thread stores, no barrier between");
  add_epoch_ = block_epoch_ + 1;
  add_thread_ = table_.thread;
}

int BlockRunner::block_or(int value, int line) {
  int& any = any_[block_epoch_ & 1];  // a fast thread may be at the next barrier already
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
  Warp& warp = warps_[w];
  for (unsigned i = 32 * w; i < std::min(32 * w + 32, launch_.threads); ++i) {
    const Thread& t = threads_[i];
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
    if (threads_[i].state == state) threads_[i].state = State::ready;
}

unsigned BlockRunner::shuffle(unsigned mask, unsigned value, int lane, int is_xor) {
  if (mask != 0xffffffffu) fail(fmt::format("a shuffle of the lanes {:#x}", mask));
  if (lane < 0 || lane > 31) fail(fmt::format("a shuffle from lane {}", lane));
  Thread& me = *running_;
  const unsigned own = me.index % 32;
  Warp& warp = warps_[me.index / 32];
  auto& values = warp.values[me.rounds++ & 1];  // two sets: a fast lane may be at the next shuffle already
  values[own] = value;
  me.is_xor = is_xor;
  arrive_in_warp(State::at_shuffle, 0);
  return values[is_xor != 0 ? own ^ static_cast<unsigned>(lane) : static_cast<unsigned>(lane)];
}

}  // namespace sinter::simt
