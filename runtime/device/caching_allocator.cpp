// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/caching_allocator.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <utility>

#include "runtime/device/log.h"

namespace sinter::device {

namespace {

void* pop(std::vector<void*>& blocks) {
  if (blocks.empty()) return nullptr;
  void* block = blocks.back();  // the last one released is the likeliest to be in a cache
  blocks.pop_back();
  return block;
}

std::string in_words(size_t bytes) {
  if (bytes >= size_t{1} << 30) return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= size_t{1} << 20) return fmt::format("{:.2f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{} bytes", bytes);
}

}  // namespace

CachingAllocator::CachingAllocator(MemorySource& source, size_t cache_limit)
    : source_(source), cache_limit_(cache_limit) {}

CachingAllocator::~CachingAllocator() {
  try {
    empty();
  } catch (const std::exception& error) {
    warn(source_.device() + ": the memory cache was not given back: " + error.what());
  }
}

void* CachingAllocator::allocate(size_t bytes, StreamHandle stream) {
  if (bytes > size_t{1} << 47)
    throw DeviceError(fmt::format("{}: {} bytes are more than any device has", source_.device(), bytes));
  const SizeClass size = size_class(bytes);
  const uint64_t capture = source_.capture(stream);
  const std::lock_guard lock(mutex_);
  if (capture != 0) return allocate_for_graph(size, bytes, stream, capture);
  void* block = pop(bins_of(stream)[size.index]);
  if (block == nullptr) block = reuse(size, stream);
  if (block == nullptr) block = take(size, bytes);
  count_allocation(size);
  return block;
}

void CachingAllocator::count_allocation(const SizeClass& size) {
  stats_.in_use += size.bytes;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
}

CachingAllocator::Bins& CachingAllocator::bins_of(StreamHandle stream) {
  for (const auto& s : streams_)
    if (s->stream == stream) return s->bins;
  streams_.push_back(std::make_unique<StreamBins>(StreamBins{stream, {}}));
  return streams_.back()->bins;
}

void* CachingAllocator::reuse(const SizeClass& size, StreamHandle stream) {
  if (!waiting_.empty()) collect_waiting();
  if (void* block = pop((*idle_)[size.index])) return block;
  return streams_.size() > 1 ? reuse_from_others(size, stream) : nullptr;
}

/// Marks a fitting block of another stream as wanted; it is used now if that stream is idle, else by a later request.
void* CachingAllocator::reuse_from_others(const SizeClass& size, StreamHandle stream) {
  for (const auto& other : streams_) {
    if (other->stream == stream || other->bins[size.index].empty() || source_.capture(other->stream) != 0) continue;
    const std::optional<EventHandle> mark = source_.mark(other->stream);
    if (!mark) continue;
    void* block = pop(other->bins[size.index]);
    if (source_.passed(*mark)) {
      source_.drop(*mark);
      return block;
    }
    waiting_.push_back({block, size, {*mark}});
  }
  return nullptr;
}

void CachingAllocator::collect_waiting() {
  std::erase_if(waiting_, [&](Waiting& w) {
    std::erase_if(w.marks, [&](EventHandle mark) {
      if (!source_.passed(mark)) return false;
      source_.drop(mark);
      return true;
    });
    if (!w.marks.empty()) return false;
    (*idle_)[w.size.index].push_back(w.block);
    return true;
  });
}

void* CachingAllocator::take(const SizeClass& size, size_t asked) {
  give_back_retired();
  void* block = source_.take(size.bytes);
  if (block == nullptr) {
    const size_t cached = stats_.reserved - stats_.in_use;
    log(LogChannel::memory,
        fmt::format("{}: nothing left for {}, giving {} back", source_.device(), in_words(asked), in_words(cached)));
    give_back_all();
    block = source_.take(size.bytes);
    if (block == nullptr)
      throw DeviceError({.op = "allocate",
                         .what = fmt::format("{} is out of memory: {} asked for", source_.device(), in_words(asked)),
                         .line = {},
                         .context = fmt::format("{} in use here, {} cached and given back before the last try; {}",
                                                in_words(stats_.in_use), in_words(cached), source_.remaining()),
                         .fix = "use smaller batches, or release tensors before this call"});
  }
  stats_.reserved += size.bytes;
  ++stats_.driver_allocations;
  if (log_enabled(LogChannel::memory))
    log(LogChannel::memory, fmt::format("{}: new block of {}, {} reserved", source_.device(), in_words(size.bytes),
                                        in_words(stats_.reserved)));
  return block;
}

void* CachingAllocator::allocate_for_graph(const SizeClass& size, size_t asked, StreamHandle stream, uint64_t capture) {
  bool known = false;
  for (auto& [block, g] : graph_blocks_) {
    if (g.capture != capture) continue;
    known = true;
    if (g.in_use || g.stream != stream || g.size.index != size.index) continue;
    g.in_use = true;
    count_allocation(size);
    return block;
  }
  if (!known) source_.when_graph_is_gone(stream, gone_graphs_.reporter(capture));
  void* block = take(size, asked);
  graph_blocks_[block] = {capture, size, stream, true};
  count_allocation(size);
  return block;
}

void CachingAllocator::collect_gone_graphs() {
  for (const uint64_t capture : gone_graphs_.take())
    std::erase_if(graph_blocks_, [&](const auto& entry) {
      const auto& [block, g] = entry;
      if (g.capture != capture) return false;
      if (!g.in_use) retired_.push_back({block, g.size.bytes});  // else an ordinary block from now on
      return true;
    });
}

bool CachingAllocator::release_to_graph(void* block) {
  collect_gone_graphs();
  const auto found = graph_blocks_.find(block);
  if (found == graph_blocks_.end()) return false;
  found->second.in_use = false;
  return true;
}

void CachingAllocator::release(void* block, size_t bytes, StreamHandle stream) noexcept {
  const SizeClass size = size_class(bytes);
  const std::lock_guard lock(mutex_);
  stats_.in_use -= size.bytes;
  try {
    if (!graph_blocks_.empty() && release_to_graph(block)) return;
    release_outside_graph(block, size, stream);
  } catch (const std::exception& error) {  // no memory for the bookkeeping, or a faulted device: the block is lost
    warn(source_.device() + ": a block of memory could not be kept: " + error.what());
  }
}

void CachingAllocator::release_outside_graph(void* block, const SizeClass& size, StreamHandle stream) {
  if (!other_uses_.empty()) {
    if (const auto found = other_uses_.find(block); found != other_uses_.end()) {
      std::vector<StreamHandle> users = std::move(found->second);
      users.push_back(stream);
      other_uses_.erase(found);
      return release_behind(block, size, users);
    }
  }
  if (stats_.reserved - stats_.in_use > cache_limit_) give_back_all();
  bins_of(stream)[size.index].push_back(block);
}

/// The block is free once all of these streams have done what is queued on them now.
void CachingAllocator::release_behind(void* block, const SizeClass& size, std::span<const StreamHandle> streams) {
  Waiting w{block, size, {}};
  for (const StreamHandle stream : streams) {
    const std::optional<EventHandle> mark = source_.mark(stream);
    if (!mark) {
      for (const EventHandle m : w.marks) source_.drop(m);
      retired_.push_back({block, size.bytes});
      return;
    }
    w.marks.push_back(*mark);
  }
  waiting_.push_back(std::move(w));
}

void CachingAllocator::record_use(void* block, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  if (graph_blocks_.contains(block)) return;  // reserved for the graph in any case
  std::vector<StreamHandle>& users = other_uses_[block];
  if (std::find(users.begin(), users.end(), stream) == users.end()) users.push_back(stream);
}

void CachingAllocator::forget(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(streams_, [&](const auto& s) { return s->stream == stream; });
  if (found == streams_.end()) return;
  const std::unique_ptr<StreamBins> gone = std::move(*found);
  streams_.erase(found);
  for (size_t index = 0; index < SizeClass::count; ++index)
    for (void* block : gone->bins[index]) release_behind(block, {index, size_class_bytes(index)}, {&stream, 1});
}

void CachingAllocator::empty() {
  const std::lock_guard lock(mutex_);
  give_back_all();
}

void CachingAllocator::give_back(const Block& block) {
  source_.give_back(block.address, block.bytes);
  stats_.reserved -= block.bytes;
}

void CachingAllocator::give_back(Bins& bins) {
  for (size_t index = 0; index < SizeClass::count; ++index) {
    for (void* block : bins[index]) give_back({block, size_class_bytes(index)});
    bins[index].clear();
  }
}

void CachingAllocator::give_back_retired() {
  if (!graph_blocks_.empty()) collect_gone_graphs();
  for (const Block& block : retired_) give_back(block);
  retired_.clear();
}

void CachingAllocator::give_back_all() {
  source_.wait_for_all();
  for (const auto& s : streams_) give_back(s->bins);
  give_back(*idle_);
  for (const Waiting& w : waiting_) {
    for (const EventHandle mark : w.marks) source_.drop(mark);
    give_back({w.block, w.size.bytes});
  }
  waiting_.clear();
  give_back_retired();
}

MemoryStats CachingAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace sinter::device
