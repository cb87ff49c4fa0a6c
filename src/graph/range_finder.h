// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <unordered_map>
#include <utility>

#include "src/graph/expr.h"

namespace sinter::graph {

using Range = std::pair<int64_t, int64_t>;
inline constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

/// Interval arithmetic over an expression; an end at `lowest` or `highest` is unknown. Remembers what it has computed,
/// so that asking for every part of an expression is linear.
class RangeFinder {
 public:
  explicit RangeFinder(const Ranges& ranges) : ranges_(ranges) {}
  Range of(Expr e);
  const Ranges& ranges() const { return ranges_; }

 private:
  Range computed(Expr e);
  const Ranges& ranges_;
  std::unordered_map<Expr, Range> known_;
};

}  // namespace sinter::graph
