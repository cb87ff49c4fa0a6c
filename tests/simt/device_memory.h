// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/device/memory_source.h"

namespace sinter::simt {

/// Device memory is host memory that knows what is allocated. Within a launch it also knows who stored what.
class DeviceMemory final : public device::MemorySource {
 public:
  void* take(size_t bytes) override;
  void give_back(void* block, size_t bytes) noexcept override;
  std::string device() const override { return "cuda:0 (simt)"; }
  std::string remaining() const override { return "the emulator's memory is the host's"; }
  uint64_t capture(device::StreamHandle stream) override;
  void when_graph_is_gone(device::StreamHandle stream, const std::function<void()>& gone) override;

  /// An allocation of exactly this size begins or ends. The contents are poisoned. A graph may use a block several
  /// times, in different sizes: there the largest counts.
  void begin(void* address, size_t bytes, bool of_graph);
  void end(void* address) noexcept;

  void begin_launch();
  /// Each gives a description of what is wrong, or an empty text. `thread` is unique in the launch.
  std::string load(void* to, const void* from, size_t bytes, bool read_only);
  std::string store(void* to, const void* from, size_t bytes, uint32_t thread);
  /// Did blocks of the launch other than `block` store nothing here?
  std::string check_own(const void* at, size_t bytes, uint32_t block, uint32_t threads_per_block);
  std::string check(const void* at, size_t bytes, const char* what);

 private:
  struct Allocation {
    uintptr_t address = 0;
    size_t bytes = 0;
    uint64_t launch = 0;                ///< of `owners`
    std::vector<uint32_t> owners = {};  ///< by byte: 1 + the thread that stored it in the launch
  };
  Allocation* find(uintptr_t address);

  std::map<uintptr_t, Allocation> live_;
  Allocation* last_ = nullptr;
  uint64_t launch_ = 0;
};

}  // namespace sinter::simt
