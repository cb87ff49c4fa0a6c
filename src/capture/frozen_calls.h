// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/saved/frozen_call.h"
#include "src/capture/frozen_region.h"

namespace sinter::capture {

/// A call of a Host::skip function that runs without its host code.
struct Frozen {
  std::vector<int64_t> words;  ///< host values among the arguments
  saved::FrozenCall call;
  FrozenRegion region;
  std::vector<Tensor> constants;
  std::shared_ptr<const void> prototype;  ///< the result but for its tensors
  std::atomic<Frozen*> next{nullptr};
};

/// The frozen calls of a function: append-only, read without a lock; the last hit is tried first.
class FrozenCalls {
 public:
  /// More than these and the host code runs on every other call: something among the arguments never repeats.
  static constexpr int most = 64;

  FrozenCalls() = default;
  ~FrozenCalls();
  FrozenCalls(const FrozenCalls&) = delete;
  FrozenCalls& operator=(const FrozenCalls&) = delete;
  const Frozen* find(std::span<const int64_t> words, std::span<const int64_t> key) const;
  /// Under the caller's lock.
  void append(std::unique_ptr<Frozen> frozen);
  int size() const { return size_.load(std::memory_order_acquire); }

 private:
  std::atomic<Frozen*> first_{nullptr};
  mutable std::atomic<const Frozen*> last_hit_{nullptr};
  std::atomic<int> size_{0};
};

}  // namespace sinter::capture
