// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/memory.h"

#include <sinter/error.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace sinter::device::cpu {
namespace {

constexpr size_t small = 64, page = 4096, huge = size_t{2} << 20;

void* from_system(size_t bytes) {
  const size_t alignment = bytes >= huge ? huge : small;
  void* p = std::aligned_alloc(alignment, bytes);
  if (p != nullptr && bytes >= huge) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

}  // namespace

size_t Allocator::rounded(size_t bytes) {
  const size_t unit = bytes >= huge ? huge : bytes >= page ? page : small;
  return std::max(unit, (bytes + unit - 1) / unit * unit);
}

void* Allocator::allocate(size_t bytes) {
  const size_t size = rounded(bytes);
  std::scoped_lock lock(mutex_);
  stats_.in_use += size;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  if (auto it = free_.find(size); it != free_.end()) {
    void* p = it->second;
    free_.erase(it);
    return p;
  }
  void* p = from_system(size);
  if (p == nullptr) {
    for (auto& [n, block] : free_) {
      stats_.reserved -= n;
      std::free(block);
    }
    free_.clear();
    p = from_system(size);
  }
  if (p == nullptr) {
    stats_.in_use -= size;
    throw DeviceError({{}, "cpu: out of memory for " + std::to_string(bytes) + " bytes", {}, {}, {}});
  }
  stats_.reserved += size;
  ++stats_.driver_allocations;
  return p;
}

void Allocator::release(void* memory, size_t bytes) noexcept {
  const size_t size = rounded(bytes);
  std::scoped_lock lock(mutex_);
  stats_.in_use -= size;
  try {
    free_.emplace(size, memory);
  } catch (...) {
    std::free(memory);
  }
}

void Allocator::empty() {
  std::scoped_lock lock(mutex_);
  for (auto& [n, block] : free_) {
    stats_.reserved -= n;
    std::free(block);
  }
  free_.clear();
}

MemoryStats Allocator::stats() const {
  std::scoped_lock lock(mutex_);
  return stats_;
}

}  // namespace sinter::device::cpu
