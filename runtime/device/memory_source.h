// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/device/backend.h"

namespace sinter::device {

/// Where a CachingAllocator gets its blocks, and how allocators learn what a stream has done. Thread safe. The defaults
/// are those of a device that finishes work before a call returns.
class MemorySource {
 public:
  virtual ~MemorySource() = default;

  /// A block of memory, or nullptr if there is none left.
  virtual void* take(size_t bytes) = 0;
  /// Gives one back; waits for all work that may use it.
  virtual void give_back(void* block, size_t bytes) noexcept = 0;
  /// "cuda:0", and a sentence on what the device has left, for the error.
  virtual std::string device() const = 0;
  virtual std::string remaining() const = 0;

  /// Marks what is queued on `stream` now; nullopt if that is not possible at the moment.
  virtual std::optional<EventHandle> mark(StreamHandle stream) {
    (void)stream;
    return nullptr;
  }
  virtual bool passed(EventHandle mark) {
    (void)mark;
    return true;
  }
  virtual void drop(EventHandle mark) noexcept { (void)mark; }
  virtual void wait_for_all() {}

  /// A number that is different for each capture, 0 while `stream` is not being captured.
  virtual uint64_t capture(StreamHandle stream) {
    (void)stream;
    return 0;
  }
  /// Calls `gone` once the graph that `stream` is being captured into, and all its copies, are destroyed. It may be
  /// called from any thread at any time.
  virtual void when_graph_is_gone(StreamHandle stream, const std::function<void()>& gone) {
    (void)stream;
    (void)gone;
  }
};

}  // namespace sinter::device
