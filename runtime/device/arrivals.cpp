// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/arrivals.h"

#include <utility>

namespace sinter::device {

std::shared_ptr<void> Arrivals::of(Backend& backend, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<void>& block = blocks_[stream];
  if (block != nullptr) return block;
  constexpr size_t bytes = arrival_words * sizeof(uint32_t);
  const auto release = [&backend, stream](void* words) { backend.release(words, bytes, stream); };
  std::shared_ptr<void> fresh(backend.allocate(bytes, stream), release);
  backend.fill_zero(fresh.get(), bytes, stream);
  block = std::move(fresh);
  return block;
}

void Arrivals::forget(StreamHandle stream) {
  std::shared_ptr<void> gone;  // released without the lock
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(stream);
  if (found == blocks_.end()) return;
  gone = std::move(found->second);
  blocks_.erase(found);
}

void Arrivals::clear() {
  std::unordered_map<StreamHandle, std::shared_ptr<void>> gone;  // released without the lock
  const std::lock_guard lock(mutex_);
  gone.swap(blocks_);
}

}  // namespace sinter::device
