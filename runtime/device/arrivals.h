// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <unordered_map>

#include "runtime/device/backend.h"

namespace sinter::device {

/// Words for Backend::arrivals(): one block of memory for each stream, set to zero once. Work on a stream runs in
/// order, so its kernels can share them.
class Arrivals {
 public:
  void* of(Backend& backend, StreamHandle stream);

 private:
  std::mutex mutex_;
  std::unordered_map<StreamHandle, void*> blocks_;
};

}  // namespace sinter::device
