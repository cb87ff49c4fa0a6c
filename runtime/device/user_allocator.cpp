// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/user_allocator.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <utility>

#include "runtime/device/log.h"
#include "runtime/device/size_class.h"

namespace sinter::device {

namespace {

/// Kernels may read up to the end of the last 64 bytes.
size_t padded(size_t bytes) {
  constexpr size_t unit = SizeClass::granularity;
  return (std::max(bytes, size_t{1}) + unit - 1) / unit * unit;
}

/// Calls the program's function; what it throws is put in words.
void* call(const Allocator& maker, size_t bytes, StreamHandle stream, std::string& why) {
  try {
    return maker.allocate(bytes, stream);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an exception of an unknown type";
  }
  return nullptr;
}

}  // namespace

void UserAllocator::set(Allocator allocator) {
  auto next = allocator.allocate ? std::make_shared<const Allocator>(std::move(allocator)) : nullptr;
  const std::lock_guard lock(mutex_);
  allocator_.swap(next);
  active_.store(allocator_ != nullptr, std::memory_order_release);
}

std::shared_ptr<const Allocator> UserAllocator::current() const {
  const std::lock_guard lock(mutex_);
  return allocator_;
}

void* UserAllocator::allocate(size_t bytes, StreamHandle stream) {
  if (!active_.load(std::memory_order_acquire)) return nullptr;
  const std::shared_ptr<const Allocator> maker = current();
  if (maker == nullptr) return nullptr;
  const size_t size = padded(bytes);
  const uint64_t capture = source_.capture(stream);
  if (capture != 0)
    if (void* block = reuse_in_capture(size, stream, capture)) return block;
  give_back_finished();
  void* block = ask(maker, size, stream, bytes);
  keep({.maker = maker, .address = block, .bytes = size, .stream = stream, .capture = capture});
  return block;
}

void* UserAllocator::reuse_in_capture(size_t bytes, StreamHandle stream, uint64_t capture) {
  const std::lock_guard lock(mutex_);
  bool known = false;
  for (auto& [address, b] : blocks_) {
    if (b.capture != capture) continue;
    known = true;
    if (b.in_use || b.stream != stream || b.bytes != bytes || b.maker != allocator_) continue;
    b.in_use = true;
    stats_.in_use += bytes;
    return address;
  }
  if (!known) source_.when_graph_is_gone(stream, gone_graphs_.reporter(capture));
  return nullptr;
}

/// A block from the program; if it has none, what is held here goes back and it is asked once more.
void* UserAllocator::ask(const std::shared_ptr<const Allocator>& maker, size_t bytes, StreamHandle stream,
                         size_t asked) {
  std::string why;
  void* block = call(*maker, bytes, stream, why);
  if (block == nullptr) {
    empty();
    block = call(*maker, bytes, stream, why);
  }
  if (block == nullptr)
    throw DeviceError(
        {.op = "allocate",
         .what = fmt::format("{}: the program's allocator gave no memory: {} bytes asked for", source_.device(), asked),
         .line = {},
         .context = why.empty() ? "it returned a null pointer" : "it threw: " + why,
         .fix = "use smaller batches, or give the allocator more; reset_allocator() takes it out"});
  if (reinterpret_cast<uintptr_t>(block) % SizeClass::granularity == 0) return block;
  give_back({{.maker = maker, .address = block, .bytes = bytes, .stream = stream}});
  throw DeviceError({.op = "allocate",
                     .what = fmt::format("{}: the program's allocator gave {} for {} bytes, which is not aligned to {}",
                                         source_.device(), block, asked, SizeClass::granularity),
                     .line = {},
                     .context = {},
                     .fix = {}});
}

void UserAllocator::keep(Block&& block) {
  const std::lock_guard lock(mutex_);
  const size_t bytes = block.bytes;
  void* address = block.address;
  if (!blocks_.try_emplace(address, std::move(block)).second)
    throw DeviceError({.op = "allocate",
                       .what = fmt::format("{}: the program's allocator gave {} twice; it is still in use",
                                           source_.device(), address),
                       .line = {},
                       .context = {},
                       .fix = {}});
  outstanding_.store(blocks_.size(), std::memory_order_release);
  stats_.in_use += bytes;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  stats_.reserved += bytes;
}

bool UserAllocator::release(void* block) noexcept {
  if (outstanding_.load(std::memory_order_acquire) == 0) return false;
  std::vector<Block> finished;
  bool ours = true;
  try {
    const std::lock_guard lock(mutex_);
    ours = release_locked(block, finished);
  } catch (const std::exception& error) {  // no memory for the bookkeeping, or a faulted device: the block is lost
    warn(source_.device() + ": a block of memory could not be given back: " + error.what());
  }
  give_back(finished);
  return ours;
}

bool UserAllocator::release_locked(void* block, std::vector<Block>& finished) {
  collect_gone_graphs();
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return false;
  stats_.in_use -= found->second.bytes;
  if (found->second.capture != 0) {
    found->second.in_use = false;
    return true;
  }
  Block b = std::move(found->second);
  blocks_.erase(found);
  outstanding_.store(blocks_.size(), std::memory_order_release);
  if (b.other_uses.empty()) {
    stats_.reserved -= b.bytes;
    finished.push_back(std::move(b));
  } else {
    release_behind(std::move(b));
  }
  return true;
}

/// The block is free once the other streams have done what is queued on them now.
void UserAllocator::release_behind(Block block) {
  Waiting w{std::move(block), {}};
  for (const StreamHandle stream : w.block.other_uses) {
    const std::optional<EventHandle> mark = source_.mark(stream);
    if (!mark) {
      for (const EventHandle m : w.marks) source_.drop(m);
      retired_.push_back(std::move(w.block));
      return;
    }
    w.marks.push_back(*mark);
  }
  waiting_.push_back(std::move(w));
}

bool UserAllocator::record_use(void* block, StreamHandle stream) {
  if (outstanding_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return false;
  std::vector<StreamHandle>& uses = found->second.other_uses;
  if (stream != found->second.stream && std::ranges::find(uses, stream) == uses.end()) uses.push_back(stream);
  return true;
}

void UserAllocator::collect_gone_graphs() {
  for (const uint64_t capture : gone_graphs_.take())
    for (auto at = blocks_.begin(); at != blocks_.end();) {
      Block& b = at->second;
      if (b.capture == capture) b.capture = 0;  // if a tensor has it, it is an ordinary block from now on
      if (b.capture == 0 && !b.in_use) {
        retired_.push_back(std::move(b));
        at = blocks_.erase(at);
      } else {
        ++at;
      }
    }
  outstanding_.store(blocks_.size(), std::memory_order_release);
}

void UserAllocator::collect_waiting(std::vector<Block>& finished) {
  std::erase_if(waiting_, [&](Waiting& w) {
    std::erase_if(w.marks, [&](EventHandle mark) {
      if (!source_.passed(mark)) return false;
      source_.drop(mark);
      return true;
    });
    if (!w.marks.empty()) return false;
    stats_.reserved -= w.block.bytes;
    finished.push_back(std::move(w.block));
    return true;
  });
}

void UserAllocator::give_back_finished() noexcept {
  std::vector<Block> finished;
  try {
    const std::lock_guard lock(mutex_);
    if (!waiting_.empty()) collect_waiting(finished);
  } catch (const std::exception& error) {
    warn(source_.device() + ": memory of other streams could not be looked at: " + error.what());
  }
  give_back(finished);
}

void UserAllocator::empty() {
  std::vector<Block> finished;
  {
    const std::lock_guard lock(mutex_);
    collect_gone_graphs();
    if (waiting_.empty() && retired_.empty()) return;
    source_.wait_for_all();
    collect_waiting(finished);
    for (Block& b : retired_) {
      stats_.reserved -= b.bytes;
      finished.push_back(std::move(b));
    }
    retired_.clear();
  }
  give_back(finished);
}

void UserAllocator::give_back(const std::vector<Block>& blocks) noexcept {
  for (const Block& b : blocks) try {
      b.maker->release(b.address, b.bytes, b.stream);
    } catch (const std::exception& error) {
      warn(source_.device() + ": the program's allocator did not take a block back: " + error.what());
    } catch (...) {
      warn(source_.device() + ": the program's allocator did not take a block back");
    }
}

MemoryStats UserAllocator::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace sinter::device
