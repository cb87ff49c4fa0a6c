// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/range_finder.h"

namespace sinter::graph {

/// Proofs about expressions, from ranges and from the symbolic extents of axes.
class Prover {
 public:
  explicit Prover(RangeFinder& ranges) : ranges_(ranges) {}
  bool nonnegative(Expr e);
  bool positive(Expr e) { return nonnegative(e - 1); }
  bool within(Expr e, Expr bound) { return nonnegative(e) && nonnegative(bound - 1 - e); }

 private:
  RangeFinder& ranges_;
};

}  // namespace sinter::graph
