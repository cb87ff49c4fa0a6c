// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/arrivals.h"

namespace sinter::device {

void* Arrivals::of(Backend& backend, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  void*& block = blocks_[stream];
  if (block == nullptr) {
    constexpr size_t bytes = arrival_words * sizeof(uint32_t);
    void* fresh = backend.allocate(bytes, stream);
    backend.fill_zero(fresh, bytes, stream);
    block = fresh;
  }
  return block;
}

}  // namespace sinter::device
