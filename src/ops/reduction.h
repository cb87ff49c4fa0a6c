// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/reductions.h>

#include <vector>

#include "src/graph/registry.h"

// What ops that reduce dims of one operand share: attributes, shape rule, samples.

namespace sinter::ops {

graph::CallAttributes reduce_attributes(const ReduceOptions& options);
/// The parameters they belong to.
std::vector<graph::Param> reduce_params();

/// The shape that is left, and the dims that are reduced (ascending).
struct Reduced {
  std::vector<graph::Expr> shape;
  std::vector<int> dims;
  std::vector<graph::Expr> extents;
};
/// Fails for dims that are out of range or named twice.
Reduced reduce_shape(graph::InferContext& context);

/// Ascending; none given means all.
std::vector<int> reduced_dims(const Dims& dims, int rank);

/// Every dtype, short and long folds, several dims, and where that is legal nothing to fold.
std::vector<graph::SampleCall> sample_reduction(bool empty_is_legal, double low, double high);

}  // namespace sinter::ops
