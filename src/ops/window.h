// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/registry.h"
#include "src/ops/compose.h"

// Windows over the last dims of a tensor, as pooling takes them.

namespace sinter::ops {

/// Structural numbers, one for each of the last dims.
struct Windows {
  Dims kernel, stride, padding, dilation;
  bool ceil = false;

  size_t rank() const { return kernel.size(); }
  int64_t taps() const { return kernel.product(); }
  /// Elements from the first to the last of a window.
  int64_t span(size_t d) const { return dilation[d] * (kernel[d] - 1) + 1; }
  /// How many windows a dim of that extent has.
  graph::Expr count(size_t d, graph::Expr extent) const;
};

graph::CallAttributes window_attributes(const Windows& w);
std::vector<graph::Param> window_params();
Windows read_windows(graph::AttributeReader& attributes);

/// Fails for numbers that describe no windows over dims.
void check_windows(const graph::InferContext& context, const Windows& w);
/// The shape of one element a window. Fails where windows do not fit.
std::vector<graph::Expr> windowed_shape(graph::InferContext& context, const Windows& w);

/// sum or amax over each window of x, elements outside counting as `fill`: unrolled for small windows, a fold for
/// others, with the same bits.
graph::Value fold_windows(Composer& c, graph::Value x, const Windows& w, bool largest);

/// How many elements each window has, as [windows of each dim].
graph::Value window_counts(Composer& c, const graph::ValueType& x, const Windows& w, bool with_padding);

/// Lowest value of a dtype, as a number.
graph::Number lowest_number(DType t);

}  // namespace sinter::ops
