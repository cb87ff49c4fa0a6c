// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "runtime/device/backend.h"

namespace sinter::device {

/// Words for Backend::arrivals(): one block of memory for each stream, set to zero once. Work on a stream runs in
/// order, so its kernels can share them.
class Arrivals {
 public:
  std::shared_ptr<void> of(Backend& backend, StreamHandle stream);
  /// Gives the block of a stream back, once no call holds it.
  void forget(StreamHandle stream);
  /// Gives the blocks back that no call holds; the memory's release is in order with the work queued on its stream.
  void clear();

 private:
  std::mutex mutex_;
  std::unordered_map<StreamHandle, std::shared_ptr<void>> blocks_;
};

}  // namespace sinter::device
