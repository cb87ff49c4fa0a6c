// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/cuda/context.h"
#include "runtime/device/memory_source.h"

namespace sinter::device::cuda {

/// Blocks from cuMemAlloc, events as marks. Thread safe.
class DeviceMemory final : public MemorySource {
 public:
  explicit DeviceMemory(const Context& context) : context_(context), driver_(context.driver()) {}
  ~DeviceMemory() override;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* take(size_t bytes) override;
  void give_back(void* block, size_t bytes) noexcept override;
  std::string device() const override { return context_.text(); }
  std::string remaining() const override;

  std::optional<EventHandle> mark(StreamHandle stream) override;
  bool passed(EventHandle mark) override;
  void drop(EventHandle mark) noexcept override;
  void wait_for_all() override;

  uint64_t capture(StreamHandle stream) override;
  void when_graph_is_gone(StreamHandle stream, const std::function<void()>& gone) override;

 private:
  const Context& context_;
  const Driver& driver_;
  std::mutex mutex_;  ///< of the list below
  std::vector<CUevent> unused_events_;
};

}  // namespace sinter::device::cuda
