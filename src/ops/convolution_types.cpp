// SPDX-License-Identifier: Apache-2.0
// The type rule of convolutions.
#include <fmt/format.h>

#include "src/ops/convolution.h"
#include "src/ops/describe.h"
#include "src/ops/extents.h"

namespace sinter::ops {
namespace {

void check_operands(const graph::InferContext& context, size_t spatial) {
  const graph::ValueType& x = context.operand(0);
  const graph::ValueType& w = context.operand(1);
  const int rank = static_cast<int>(spatial) + 2;
  if (x.rank() != rank && x.rank() != rank - 1)
    context.fail(
        fmt::format("expected an input of {} dims, or of {} without batch, got {}", rank, rank - 1, describe(x)),
        "reshape() it");
  if (w.rank() != rank)
    context.fail(fmt::format("expected a weight of {} dims, got {}", rank, describe(w)),
                 "weights are [output channels, input channels / groups, kernel...]");
  for (size_t i = 1; i < context.operand_count(); ++i)
    if (context.operand(i).dtype != x.dtype)
      context.fail(fmt::format("the input is {}, but the {} is {}", describe(x), i == 1 ? "weight" : "bias",
                               describe(context.operand(i))),
                   "cast one side with to(t, dtype)");
  if (x.dtype.is_boolean()) context.fail("booleans have no products to sum", "cast with to(t, u8)");
}

void check_list(const graph::InferContext& context, std::string_view name, const Dims& list, size_t spatial,
                int64_t least) {
  if (list.size() != spatial)
    context.fail(fmt::format("{} has {} entries for {} spatial dims", name, list.size(), spatial),
                 fmt::format("give one for all dims, or {}", spatial));
  for (int64_t v : list)
    if (v < least) context.fail(fmt::format("{} {} is less than {}", name, v, least));
}

void check_window(const graph::InferContext& context, const ConvWindow& window, size_t spatial) {
  check_list(context, "stride", window.stride, spatial, 1);
  check_list(context, "dilation", window.dilation, spatial, 1);
  if (window.before.size() != spatial || window.after.size() != spatial)
    context.fail(fmt::format("padding has {} entries for {} spatial dims", window.before.size(), spatial),
                 fmt::format("give one for all dims, {}, or {} (before and after each)", spatial, 2 * spatial));
  check_list(context, "padding", window.before, spatial, 0);
  check_list(context, "padding", window.after, spatial, 0);
  if (window.groups < 1) context.fail(fmt::format("groups is {}; expected at least 1", window.groups));
}

void check_channels(graph::InferContext& context, const ConvWindow& window) {
  const graph::ValueType& x = context.operand(0);
  const graph::ValueType& w = context.operand(1);
  const int64_t groups = window.groups;
  const Expr outputs = w.shape[0], channels = x.shape[window.channel_dim(x.shape.size())];
  const Expr taken = w.shape[window.channel_dim(w.shape.size())] * groups;
  for (size_t d = 0; d < w.shape.size(); ++d)
    if (w.shape[d].is_constant(0)) context.fail(fmt::format("dim {} of the weight {} is empty", d, describe(w)));
  if (!context.same_extent(simplify_extent(floordiv(outputs, groups) * groups), outputs))
    context.fail(fmt::format("{} groups do not divide the {} output channels of the weight {}", groups, outputs.text(),
                             describe(w)));
  if (!context.same_extent(channels, taken))
    context.fail(fmt::format("the input {} has {} channels; the weight {} with {} group{} takes {}", describe(x),
                             channels.text(), describe(w), groups, groups == 1 ? "" : "s", taken.text()));
  if (context.operand_count() < 3) return;
  const graph::ValueType& b = context.operand(2);
  if (b.rank() != 1 || !context.same_extent(b.shape[0], outputs))
    context.fail(fmt::format("expected a bias [{}], got {}", outputs.text(), describe(b)));
}

/// (extent + before + after - dilation * (kernel - 1) - 1) / stride + 1
Expr windows(graph::InferContext& context, const ConvWindow& window, size_t d, Expr extent, Expr kernel) {
  const Expr padded = extent + Expr(window.before[d] + window.after[d]);
  const Expr covered = (kernel - 1) * window.dilation[d] + 1;
  if (extent.is_constant(0))
    context.fail(fmt::format("spatial dim {} of {} is empty", d, describe(context.operand(0))));
  if (!context.same_extent(simplify_extent(min(covered, padded)), covered))
    context.fail(
        fmt::format("the kernel covers {} elements of spatial dim {}, which has {} with padding: {} and {}",
                    covered.text(), d, padded.text(), describe(context.operand(0)), describe(context.operand(1))),
        "pad more, or take a smaller kernel");
  return simplify_extent(floordiv(padded - covered, window.stride[d]) + 1);
}

}  // namespace

std::vector<graph::ValueType> infer_convolution(graph::InferContext& context) {
  const size_t spatial = spatial_dims(context.op());
  const ConvWindow window = read_window(context.all_attributes());
  check_operands(context, spatial);
  check_window(context, window, spatial);
  check_channels(context, window);
  const graph::ValueType& x = context.operand(0);
  const graph::ValueType& w = context.operand(1);
  graph::ValueType result = x;
  result.shape[window.channel_dim(x.shape.size())] = w.shape[0];
  for (size_t d = 0; d < spatial; ++d) {
    Expr& extent = result.shape[window.spatial_dim(x.shape.size(), d)];
    extent = windows(context, window, d, extent, w.shape[window.spatial_dim(w.shape.size(), d)]);
  }
  return {result};
}

}  // namespace sinter::ops
