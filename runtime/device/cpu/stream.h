// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/device/backend.h"

namespace sinter::device::cpu {

/// Work that was recorded instead of done.
struct CpuGraph {
  std::vector<std::function<void()>> nodes;
  int64_t kernels = 0;  ///< among the nodes
  std::vector<std::function<void()>> when_gone;
  ~CpuGraph() {
    for (const auto& call : when_gone) call();
  }
};

/// A stream of the CPU does its work at once, unless it is being captured. Used by one thread at a time, as on CUDA.
struct CpuStream {
  std::unique_ptr<CpuGraph> capture;
  uint64_t capture_number = 0;
};

/// The stream, if it is being captured; the default stream (null) never is.
inline CpuStream* capturing(StreamHandle stream) {
  auto* s = static_cast<CpuStream*>(stream);
  return s != nullptr && s->capture ? s : nullptr;
}

struct CpuEvent {
  std::chrono::steady_clock::time_point time;
  bool recorded = false;
};

}  // namespace sinter::device::cpu
