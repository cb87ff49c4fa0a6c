// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sinter::device::cpu {

namespace {

constexpr size_t cache_line = 64, huge_page = size_t{2} << 20;

}  // namespace

void* HostMemory::take(size_t bytes) {
  if (bytes > machine_bytes_) return nullptr;
  const bool large = bytes >= huge_page;
  void* block = nullptr;
  if (posix_memalign(&block, large ? huge_page : cache_line, bytes) != 0) return nullptr;
#if defined(MADV_HUGEPAGE)
  if (large) madvise(block, bytes, MADV_HUGEPAGE);  // advice: a system without huge pages ignores it
#endif
  return block;
}

void HostMemory::give_back(void* block, size_t) noexcept { std::free(block); }

std::string HostMemory::remaining() const {
#if defined(_SC_AVPHYS_PAGES)
  const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page > 0) return fmt::format("{} MiB of memory are free", pages * page >> 20);
#endif
  return "the system gave no memory";
}

size_t host_cache_limit(size_t machine_bytes) { return std::max(machine_bytes / 4, size_t{1} << 30); }

}  // namespace sinter::device::cpu
