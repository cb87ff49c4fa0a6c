// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "runtime/device/caching_allocator.h"
#include "runtime/device/user_allocator.h"

namespace sinter::device {

/// A device's memory: from the program's allocator while one is set, else from the cache.
class DeviceAllocator {
 public:
  explicit DeviceAllocator(MemorySource& source, size_t cache_limit = SIZE_MAX)
      : cache_(source, cache_limit), user_(source) {}

  void set_user_allocator(Allocator allocator) { user_.set(std::move(allocator)); }
  void* allocate(size_t bytes, StreamHandle stream) {
    if (void* block = user_.allocate(bytes, stream)) return block;
    return cache_.allocate(bytes, stream);
  }
  void release(void* block, size_t bytes, StreamHandle stream) noexcept {
    if (!user_.release(block)) cache_.release(block, bytes, stream);
  }
  void record_use(void* block, StreamHandle stream) {
    if (!user_.record_use(block, stream)) cache_.record_use(block, stream);
  }
  void forget(StreamHandle stream) { cache_.forget(stream); }
  void empty() {
    cache_.empty();
    user_.empty();
  }
  MemoryStats stats() const {
    const MemoryStats a = cache_.stats(), b = user_.stats();
    return {a.in_use + b.in_use, a.peak + b.peak, a.reserved + b.reserved, a.driver_allocations};
  }

 private:
  CachingAllocator cache_;
  UserAllocator user_;
};

}  // namespace sinter::device
