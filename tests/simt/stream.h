// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/device/backend.h"

namespace sinter::simt {

/// Work that was recorded instead of done.
struct Graph {
  std::vector<std::function<void()>> nodes;
  std::vector<std::function<void()>> when_gone;
  ~Graph() {
    for (const auto& call : when_gone) call();
  }
};

/// Work is done at once, unless the stream is being captured.
struct Stream {
  std::unique_ptr<Graph> capture;
  uint64_t capture_number = 0;
};

inline Stream* capturing(device::StreamHandle stream) {
  auto* s = static_cast<Stream*>(stream);
  return s != nullptr && s->capture ? s : nullptr;
}

struct Event {
  std::chrono::steady_clock::time_point time;
};

}  // namespace sinter::simt
