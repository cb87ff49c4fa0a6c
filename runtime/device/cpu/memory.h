// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "runtime/device/caching_allocator.h"

namespace sinter::device::cpu {

/// Blocks of host memory, aligned to 64 bytes, from 2 MiB on to 2 MiB and in huge pages where the system has them.
///
/// Why the CPU caches memory at all: a fresh large block costs a page fault for each page when it is first written,
/// which for a memory-bound kernel is more than the kernel.
class HostMemory : public MemorySource {
 public:
  /// A block larger than the machine's memory is refused: systems that promise memory freely would stop the process
  /// when it is written.
  explicit HostMemory(size_t machine_bytes) : machine_bytes_(machine_bytes) {}
  void* take(size_t bytes) override;
  void give_back(void* block, size_t bytes) noexcept override;
  std::string device() const override { return "cpu"; }
  std::string remaining() const override;

 private:
  size_t machine_bytes_;
};

/// Cached bytes beyond which the CPU's cache is given back: a quarter of the machine's memory, at least 1 GiB.
size_t host_cache_limit(size_t machine_bytes);

}  // namespace sinter::device::cpu
