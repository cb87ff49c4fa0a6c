// SPDX-License-Identifier: Apache-2.0
// The ops that pooling is made of.
#include <fmt/format.h>

#include <optional>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/convert.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"
#include "src/ops/window.h"
#include "src/reference/reduce.h"
#include "src/scalar/fold.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using scalar::ReduceKind;
using Types = std::vector<graph::ValueType>;

/// Taps of a window in row-major order.
std::vector<Dims> taps_of(const Dims& kernel) {
  std::vector<Dims> taps;
  reference::for_each_index(kernel, [&](const Dims& tap) { taps.push_back(tap); });
  return taps;
}

/// The element of x under a tap of the window at `index`, or the fill where that is outside of x.
loop::Value read_tap(loop::Reader& reader, const Windows& w, std::span<const Expr> index, std::span<const Expr> tap,
                     loop::Value fill) {
  loop::Builder& b = reader.builder();
  const graph::ValueType& x = reader.operand_type(0);
  const size_t leading = x.shape.size() - w.rank();
  std::vector<Expr> source(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(x.shape.size()));
  loop::Value mask;
  const auto require = [&](loop::Value condition) { mask = mask.id < 0 ? condition : b.bit_and(mask, condition); };
  for (size_t d = 0; d < w.rank(); ++d) {
    const Expr offset = tap[d] * Expr(w.dilation[d]) - Expr(w.padding[d]), extent = x.shape[leading + d];
    Expr& at = source[leading + d];
    at = at * Expr(w.stride[d]) + offset;
    if (w.padding[d] > 0 && offset.constant().value_or(-1) < 0) require(not_negative(b, at, extent));
    if (w.padding[d] > 0 || w.ceil) require(below(b, at, extent));
  }
  return mask.id < 0 ? reader.read(0, source) : reader.read_masked(0, source, mask, fill);
}

// One element for each window.

Types infer_window_fold(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Windows w = read_windows(attributes);
  return {{context.operand(0).dtype, windowed_shape(context, w)}};
}

ReduceKind kind_of(bool largest) { return largest ? ReduceKind::amax : ReduceKind::sum; }

/// In the canonical order, which for so few elements is a tree of neighbours.
loop::Value lower_window_fold(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const Windows w = read_windows(attributes);
  const scalar::ScalarOp fold = scalar::fold_op(kind_of(attributes.flag()));
  const DType t = reader.operand_type(0).dtype;
  const loop::Value fill = b.round_to(reader.number(attributes.number(), scalar::compute_type(t)), t);
  std::vector<loop::Value> v;
  for (const Dims& tap : taps_of(w.kernel)) {
    const std::vector<Expr> at(tap.begin(), tap.end());
    v.push_back(read_tap(reader, w, index, at, fill));
  }
  while (v.size() > 1) {
    std::vector<loop::Value> above;
    for (size_t i = 0; i < v.size(); i += 2) above.push_back(i + 1 < v.size() ? b.op(fold, {v[i], v[i + 1]}) : v[i]);
    v = std::move(above);
  }
  return v[0];
}

/// Where a tap is in x; nothing outside.
std::optional<Dims> position_of(const Windows& w, const Dims& shape, const Dims& index, const Dims& tap) {
  Dims at = index;
  const size_t leading = shape.size() - w.rank();
  for (size_t d = 0; d < w.rank(); ++d) {
    int64_t& i = at[leading + d];
    i = i * w.stride[d] - w.padding[d] + tap[d] * w.dilation[d];
    if (i < 0 || i >= shape[leading + d]) return std::nullopt;
  }
  return at;
}

std::vector<reference::Array> reference_window_fold(const graph::Node& node,
                                                    std::span<const reference::Array> operands) {
  const reference::Array& x = operands[0];
  graph::AttributeReader attributes(node.attributes);
  const Windows w = read_windows(attributes);
  const ReduceKind kind = kind_of(attributes.flag());
  const scalar::Constant fill = literal_number(attributes.number(), x.dtype);
  reference::Array result = reference::Array::zeros(x.dtype, literal_extents(node.results[0].shape));
  reference::for_each_index(result.shape, [&](const Dims& index) {
    std::vector<scalar::Constant> values;
    reference::for_each_index(w.kernel, [&](const Dims& tap) {
      const auto at = position_of(w, x.shape, index, tap);
      values.push_back(at ? x.at(*at) : fill);
    });
    result.set(index, reference::rounded(reference::fold(kind, scalar::compute_type(x.dtype), values), x.dtype));
  });
  return {std::move(result)};
}

// All elements of each window, in further dims.

Types infer_windows(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Windows w = read_windows(attributes);
  graph::ValueType result{context.operand(0).dtype, windowed_shape(context, w)};
  result.shape.insert(result.shape.end(), w.kernel.begin(), w.kernel.end());
  return {result};
}

loop::Value lower_windows(loop::Reader& reader, std::span<const Expr> index) {
  graph::AttributeReader attributes = reader.attributes();
  const Windows w = read_windows(attributes);
  loop::Builder& b = reader.builder();
  const DType t = reader.operand_type(0).dtype;
  const loop::Value fill = b.round_to(reader.number(attributes.number(), scalar::compute_type(t)), t);
  return read_tap(reader, w, index, index.last(w.rank()), fill);
}

Source source_of_windows(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Windows w = read_windows(attributes);
  const size_t rank = context.shape().size();
  const auto at = position_of(w, context.shape(), Dims(index.span().first(rank)), Dims(index.span().subspan(rank)));
  if (at) return {0, *at};
  return {-1, {}, literal_number(attributes.number(), context.node.results[0].dtype)};
}

// How many elements each window has.

Types infer_counts(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const std::vector<Expr> extents = attributes.extents();
  const Windows w = read_windows(attributes);
  check_windows(context, w);
  if (extents.size() != w.rank()) context.fail(fmt::format("{} extents for {} dims", extents.size(), w.rank()));
  attributes.flag();
  graph::ValueType result{attributes.dtype(), {}};
  for (size_t d = 0; d < w.rank(); ++d) result.shape.push_back(simplify_extent(w.count(d, extents[d])));
  return {result};
}

loop::Value lower_counts(loop::Reader& reader, std::span<const Expr> index) {
  graph::AttributeReader attributes = reader.attributes();
  const std::vector<Expr> extents = attributes.extents();
  const Windows w = read_windows(attributes);
  const bool with_padding = attributes.flag();
  Expr count = 1;
  for (size_t d = 0; d < w.rank(); ++d) {
    const Expr begin = index[d] * Expr(w.stride[d]) - Expr(w.padding[d]);
    const Expr end = min(begin + Expr(w.kernel[d]), extents[d] + Expr(w.padding[d]));
    count = count * (with_padding ? end - begin : min(end, extents[d]) - max(begin, 0));
  }
  loop::Builder& b = reader.builder();
  return convert_value(b, b.body().index_value(count, i64), i64, reader.result_type().dtype);
}

Source source_of_counts(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims extents = literal_extents(attributes.extents());
  const Windows w = read_windows(attributes);
  const int64_t padded = attributes.flag() ? 1 : 0;
  int64_t count = 1;
  for (size_t d = 0; d < w.rank(); ++d) {
    int64_t inside = 0;
    for (int64_t k = 0; k < w.kernel[d]; ++k) {
      const int64_t at = index[d] * w.stride[d] - w.padding[d] + k, margin = padded * w.padding[d];
      inside += at >= -margin && at < extents[d] + margin;
    }
    count *= inside;
  }
  const DType dtype = context.node.results[0].dtype;
  return {-1, {}, scalar::constant_of(scalar::compute_type(dtype), static_cast<double>(count))};
}

const std::vector<std::pair<Dims, Windows>>& sampled_windows() {
  static const std::vector<std::pair<Dims, Windows>> list = {
      {{3, 17}, {{3}, {2}, {0}, {1}, false}},
      {{2, 3, 16}, {{4}, {3}, {2}, {1}, true}},
      {{2, 7, 9}, {{3, 2}, {2, 2}, {1, 1}, {1, 1}, false}},
      {{2, 7, 9}, {{2, 3}, {2, 3}, {0, 1}, {1, 1}, true}},
      {{2, 2, 16, 17}, {{3, 3}, {1, 1}, {1, 1}, {1, 1}, false}},
      {{2, 5, 6, 7}, {{2, 2, 2}, {2, 1, 2}, {1, 0, 1}, {1, 1, 1}, true}},
      {{0, 3, 5}, {{2}, {2}, {0}, {1}, false}},
      {{2, 11}, {{3}, {2}, {1}, {2}, true}}};
  return list;
}

std::vector<graph::SampleCall> sample_windows(bool fold) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Windows& w, bool largest) {
    auto attributes = window_attributes(w);
    if (fold) attributes.flag(largest);
    attributes.number(graph::Number::of(largest && t.is_signed() ? -3 : 0));
    list.push_back(sample_call({sample_type(t, shape)}, attributes));
  };
  const auto& windows = sampled_windows();
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add(t, windows[2].first, windows[2].second, true);
  for (const auto& [shape, w] : windows) add(f32, shape, w, !fold || w.ceil);
  add(f32, {2, 19, 20}, {{7, 7}, {2, 2}, {3, 3}, {1, 1}, false}, false);
  return list;
}

std::vector<graph::SampleCall> sample_counts() {
  std::vector<graph::SampleCall> list;
  for (const DType t : {f16, bf16, f32, f64, i32, i64})
    for (const auto& [shape, w] : sampled_windows()) {
      if (w.dilation.product() != 1) continue;
      const Dims extents(shape.span().last(w.rank()));
      auto attributes = graph::CallAttributes().extents(extents);
      attributes.integers(w.kernel).integers(w.stride).integers(w.padding).integers(w.dilation).flag(w.ceil);
      list.push_back(sample_call({}, attributes.flag(t != f32).dtype(t)));
    }
  return list;
}

}  // namespace

void register_windows() {
  using graph::ParamKind;
  graph::OpDef fold;
  fold.name = "window_fold";
  fold.doc = "The sum or the largest element of each window over the last dims.";
  fold.op_class = graph::OpClass::indexed;
  fold.params = window_params();
  fold.params.push_back({"largest", ParamKind::flag});
  fold.params.push_back({"fill", ParamKind::number});
  fold.infer = infer_window_fold;
  fold.lower = lower_window_fold;
  fold.reference = reference_window_fold;
  fold.sample = sample_list([] { return sample_windows(true); });
  graph::register_op(std::move(fold));

  graph::OpDef windows;
  windows.name = "windows";
  windows.doc = "The elements of each window over the last dims, in as many further dims.";
  windows.op_class = graph::OpClass::indexed;
  windows.params = window_params();
  windows.params.push_back({"fill", ParamKind::number});
  windows.infer = infer_windows;
  windows.lower = lower_windows;
  windows.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_windows)};
  };
  windows.sample = sample_list([] { return sample_windows(false); });
  graph::register_op(std::move(windows));

  graph::OpDef counts;
  counts.name = "window_counts";
  counts.doc = "How many elements each window over dims of given extents has, with or without padding.";
  counts.op_class = graph::OpClass::creation;
  counts.min_operands = counts.max_operands = 0;
  counts.params = {{"extents", ParamKind::extents}};
  for (const graph::Param& p : window_params()) counts.params.push_back(p);
  counts.params.push_back({"with_padding", ParamKind::flag});
  counts.params.push_back({"dtype", ParamKind::dtype});
  counts.infer = infer_counts;
  counts.lower = lower_counts;
  counts.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_counts)};
  };
  counts.sample = sample_list(sample_counts);
  graph::register_op(std::move(counts));
}

}  // namespace sinter::ops
