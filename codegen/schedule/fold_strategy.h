// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace sinter::schedule {

/// How folds are scheduled. The schedule chooses by itself; tests and measurements force one. A strategy that cannot
/// serve a fold leaves it to the schedule. Results never depend on it.
enum class FoldStrategy : uint8_t {
  automatic,
  rows_by_warps,        ///< CUDA: a warp a chunk
  rows_by_elements,     ///< CUDA, rows of up to 32 chunks: all threads of a program run along memory
  rows_by_programs,     ///< tiles of 256 elements
  columns_by_warps,     ///< CUDA: a warp a strip
  columns_by_programs,  ///< a program a strip
  looped,               ///< the axis is gone through as one of unknown length is, however short it is
  split,                ///< over the grid, into as many pieces as there are, where elements are read once
};

namespace detail {
inline constinit thread_local FoldStrategy forced_folds = FoldStrategy::automatic;
}

/// The strategy of what this thread compiles: automatic, but while a ForcedFolds lives.
inline FoldStrategy forced_folds() { return detail::forced_folds; }

class ForcedFolds {
 public:
  explicit ForcedFolds(FoldStrategy s) : before_(std::exchange(detail::forced_folds, s)) {}
  ~ForcedFolds() { detail::forced_folds = before_; }
  ForcedFolds(const ForcedFolds&) = delete;
  ForcedFolds& operator=(const ForcedFolds&) = delete;

 private:
  FoldStrategy before_;
};

}  // namespace sinter::schedule
