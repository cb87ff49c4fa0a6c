// SPDX-License-Identifier: Apache-2.0
#include "src/ops/window.h"

#include <fmt/format.h>

#include <limits>

#include "src/ops/describe.h"
#include "src/ops/extents.h"

namespace sinter::ops {

using graph::Expr;
using graph::Value;

namespace {

/// A window of more elements is folded in a loop.
constexpr int64_t most_unrolled = 64;

}  // namespace

Expr Windows::count(size_t d, Expr extent) const {
  const Expr step(stride[d]), room = extent + Expr(2 * padding[d] - span(d));
  if (!ceil) return floordiv(room, step) + Expr(1);
  const Expr started = floordiv(extent + Expr(padding[d] - 1), step);  // the last that begins inside
  return min(floordiv(room + Expr(stride[d] - 1), step), started) + Expr(1);
}

graph::CallAttributes window_attributes(const Windows& w) {
  return graph::CallAttributes()
      .integers(w.kernel)
      .integers(w.stride)
      .integers(w.padding)
      .integers(w.dilation)
      .flag(w.ceil);
}

std::vector<graph::Param> window_params() {
  const auto integers = graph::ParamKind::integers;
  return {{"kernel", integers},
          {"stride", integers},
          {"padding", integers},
          {"dilation", integers},
          {"ceil_mode", graph::ParamKind::flag}};
}

Windows read_windows(graph::AttributeReader& attributes) {
  Windows w;
  w.kernel = attributes.integers();
  w.stride = attributes.integers();
  w.padding = attributes.integers();
  w.dilation = attributes.integers();
  w.ceil = attributes.flag();
  return w;
}

void check_windows(const graph::InferContext& context, const Windows& w) {
  const size_t n = w.rank();
  if (n < 1 || n > 3 || w.stride.size() != n || w.padding.size() != n || w.dilation.size() != n)
    context.fail(fmt::format("kernel {}, stride {}, padding {} and dilation {} are not for the same dims",
                             w.kernel.text(), w.stride.text(), w.padding.text(), w.dilation.text()),
                 "give one number for each of one, two or three dims");
  for (size_t d = 0; d < w.rank(); ++d) {
    if (w.kernel[d] < 1 || w.stride[d] < 1 || w.dilation[d] < 1)
      context.fail(fmt::format("kernel {}, stride {} and dilation {} are not all positive", w.kernel.text(),
                               w.stride.text(), w.dilation.text()),
                   "give 1 or more");
    if (w.padding[d] < 0 || 2 * w.padding[d] > w.span(d))
      context.fail(fmt::format("padding {} for a kernel of {}", w.padding.text(), w.kernel.text()),
                   "pad by half of the kernel at most; pad() adds more");
  }
}

std::vector<Expr> windowed_shape(graph::InferContext& context, const Windows& w) {
  check_windows(context, w);
  const graph::ValueType& x = context.operand(0);
  const size_t rank = x.shape.size(), n = w.rank();
  if (rank != n + 1 && rank != n + 2)
    context.fail(fmt::format("expected {} or {} dims, got {}", n + 1, n + 2, describe(x)),
                 "give [C, ...] or [N, C, ...]");
  std::vector<Expr> shape = x.shape;
  for (size_t d = 0; d < n; ++d) {
    const Expr extent = x.shape[rank - n + d], room = extent + Expr(2 * w.padding[d] - w.span(d));
    if (extent.is_constant(0) || !context.same_extent(simplify_extent(max(room, 0)), simplify_extent(room)))
      context.fail(fmt::format("a window of {} elements in dim {} of {} with {} padded on either side", w.span(d),
                               rank - n + d, describe(x), w.padding[d]),
                   "give a smaller kernel or more padding");
    shape[rank - n + d] = simplify_extent(w.count(d, extent));
  }
  return shape;
}

graph::Number lowest_number(DType t) {
  if (t.is_floating()) return graph::Number::of(-std::numeric_limits<double>::infinity());
  if (!t.is_signed()) return graph::Number::of(0);
  return graph::Number::of(t.bits() == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (t.bits() - 1)));
}

Value fold_windows(Composer& c, Value x, const Windows& w, bool largest) {
  const graph::Number fill = largest ? lowest_number(c.type(x).dtype) : graph::Number::of(0.0);
  if (w.taps() <= most_unrolled)
    return c.call(op<"window_fold">(), {x}, window_attributes(w).flag(largest).number(fill));
  const Value windows = c.call(op<"windows">(), {x}, window_attributes(w).number(fill));
  const auto rank = c.type(windows).shape.size();
  const Dims dims = dims_from(rank - w.rank(), rank);
  return largest ? c.fold<"amax">(windows, dims, false) : c.fold<"sum">(windows, dims, false);
}

Value window_counts(Composer& c, const graph::ValueType& x, const Windows& w, bool with_padding) {
  graph::Attributes attributes = graph::literal_attributes(graph::CallAttributes().extents(Dims::filled(w.rank(), 0)));
  for (size_t d = 0; d < w.rank(); ++d) attributes.scalars[d].expr = x.shape[x.shape.size() - w.rank() + d];
  const graph::Attributes rest = graph::literal_attributes(window_attributes(w).flag(with_padding).dtype(x.dtype));
  attributes.words.insert(attributes.words.end(), rest.words.begin(), rest.words.end());
  return c.call(op<"window_counts">(), {}, std::move(attributes));
}

}  // namespace sinter::ops
