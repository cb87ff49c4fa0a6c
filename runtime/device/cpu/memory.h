// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "runtime/device/backend.h"

namespace sinter::device::cpu {

/// Keeps freed blocks: a fresh large block costs a page fault every 4 KiB when first written, which for memory-bound
/// kernels is more than the kernel. Blocks are 64-byte aligned; large ones are 2 MiB aligned for huge pages.
class Allocator {
 public:
  ~Allocator() { empty(); }
  void* allocate(size_t bytes);
  void release(void* memory, size_t bytes) noexcept;
  void empty();
  MemoryStats stats() const;

 private:
  static size_t rounded(size_t bytes);
  mutable std::mutex mutex_;
  std::multimap<size_t, void*> free_;   ///< by rounded size
  MemoryStats stats_;
};

}  // namespace sinter::device::cpu
