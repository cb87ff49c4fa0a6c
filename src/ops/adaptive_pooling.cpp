// SPDX-License-Identifier: Apache-2.0
// Windows that divide a dim of L elements into n parts: part i is from i * L / n to (i + 1) * L / n, rounded outwards.
#include <fmt/format.h>
#include <sinter/pooling.h>

#include <algorithm>

#include "src/loop/reader.h"
#include "src/ops/bounds.h"
#include "src/ops/convert.h"
#include "src/ops/describe.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/refusals.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/window.h"

namespace sinter::ops {
namespace {

Tensor adaptive_pool(const graph::OpDef& op, std::string_view name, Operand& x, size_t n, const Dims& output) {
  if (output.size() != n && output.size() != 1)
    refuse(name, x.line(), fmt::format("output size {} for {} dims", output.text(), n),
           "give one number a dim, or one for all");
  const Dims each = output.size() == n ? output : Dims::filled(n, output[0]);
  return dispatch(op, {&x}, graph::CallAttributes().integers(each));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor adaptive_avg_pool1d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_avg_pool">(), "adaptive_avg_pool1d", x, 1, output_size);
}
Tensor adaptive_avg_pool2d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_avg_pool">(), "adaptive_avg_pool2d", x, 2, output_size);
}
Tensor adaptive_avg_pool3d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_avg_pool">(), "adaptive_avg_pool3d", x, 3, output_size);
}
Tensor adaptive_max_pool1d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_max_pool">(), "adaptive_max_pool1d", x, 1, output_size);
}
Tensor adaptive_max_pool2d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_max_pool">(), "adaptive_max_pool2d", x, 2, output_size);
}
Tensor adaptive_max_pool3d(Operand x, const Dims& output_size) {
  return ops::adaptive_pool(ops::op<"adaptive_max_pool">(), "adaptive_max_pool3d", x, 3, output_size);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;
using Types = std::vector<graph::ValueType>;

Expr begin_of(Expr part, Expr extent, int64_t parts) { return floordiv(part * extent, Expr(parts)); }
Expr end_of(Expr part, Expr extent, int64_t parts) { return ceildiv((part + Expr(1)) * extent, Expr(parts)); }

/// Elements of a part at most.
Expr longest(Expr extent, int64_t parts) {
  return parts == 1 ? extent : simplify_extent(ceildiv(extent, Expr(parts)) + Expr(1));
}

void check_parts(const graph::InferContext& context, const Dims& output) {
  if (output.empty() || output.size() > 3 || std::ranges::any_of(output, [](int64_t n) { return n < 1; }))
    context.fail(fmt::format("output size {}", output.text()), "give 1 or more for each of one, two or three dims");
}

/// The shape of one element a part.
std::vector<Expr> parted_shape(const graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  const Dims output = context.attributes().integers();
  check_parts(context, output);
  const size_t rank = x.shape.size(), n = output.size();
  if (rank != n + 1 && rank != n + 2)
    context.fail(fmt::format("expected {} or {} dims, got {}", n + 1, n + 2, describe(x)),
                 "give [C, ...] or [N, C, ...]");
  std::vector<Expr> shape = x.shape;
  for (size_t d = 0; d < n; ++d) {
    Expr& extent = shape[rank - n + d];
    if (extent.is_constant(0))
      context.fail(fmt::format("dim {} of {} is empty", rank - n + d, describe(x)), "pool dims that are not empty");
    extent = Expr(output[d]);
  }
  return shape;
}

Types infer_windows(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  const Dims output = context.attributes().integers();
  graph::ValueType result{x.dtype, parted_shape(context)};
  for (size_t d = 0; d < output.size(); ++d)
    result.shape.push_back(longest(x.shape[x.shape.size() - output.size() + d], output[d]));
  return {result};
}

loop::Value lower_windows(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const Dims output = attributes.integers();
  const graph::ValueType& x = reader.operand_type(0);
  const size_t rank = x.shape.size(), leading = rank - output.size();
  std::vector<Expr> source(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(rank));
  loop::Value mask;
  for (size_t d = 0; d < output.size(); ++d) {
    if (output[d] == 1) {
      source[leading + d] = index[rank + d];
      continue;
    }
    const Expr part = index[leading + d], extent = x.shape[leading + d];
    source[leading + d] = begin_of(part, extent, output[d]) + index[rank + d];
    const DType t = index_type(extent);
    const loop::Value inside =
        b.lt(b.body().index_value(source[leading + d], t), b.body().index_value(end_of(part, extent, output[d]), t));
    mask = mask.id < 0 ? inside : b.bit_and(mask, inside);
  }
  if (mask.id < 0) return reader.read(0, source);
  const loop::Value fill = reader.number(attributes.number(), scalar::compute_type(x.dtype));
  return reader.read_masked(0, source, mask, b.round_to(fill, x.dtype));
}

/// The element numbers of a part.
std::pair<int64_t, int64_t> part_of(int64_t part, int64_t extent, int64_t parts) {
  return {part * extent / parts, ((part + 1) * extent + parts - 1) / parts};
}

Source source_of_windows(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims output = attributes.integers(), shape = context.shape();
  const size_t leading = shape.size() - output.size();
  Source source{0, Dims(index.span().first(shape.size()))};
  for (size_t d = 0; d < output.size(); ++d) {
    const auto [begin, end] = part_of(index[leading + d], shape[leading + d], output[d]);
    source.index[leading + d] = begin + index[shape.size() + d];
    if (source.index[leading + d] >= end) source.operand = -1;
  }
  source.fill = literal_number(attributes.number(), context.node.results[0].dtype);
  return source;
}

Types infer_counts(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const size_t dims = attributes.extents().size();
  const Dims output = attributes.integers();
  check_parts(context, output);
  if (dims != output.size()) context.fail(fmt::format("{} extents for {} dims", dims, output.size()));
  return {{attributes.dtype(), {output.begin(), output.end()}}};
}

loop::Value lower_counts(loop::Reader& reader, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const std::vector<Expr> extents = attributes.extents();
  const Dims output = attributes.integers();
  Expr count = 1;
  for (size_t d = 0; d < output.size(); ++d)
    count = count * (end_of(index[d], extents[d], output[d]) - begin_of(index[d], extents[d], output[d]));
  return convert_value(b, b.body().index_value(count, i64), i64, reader.result_type().dtype);
}

Source source_of_counts(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims extents = literal_extents(attributes.extents()), output = attributes.integers();
  int64_t count = 1;
  for (size_t d = 0; d < output.size(); ++d) {
    const auto [begin, end] = part_of(index[d], extents[d], output[d]);
    count *= end - begin;
  }
  const DType dtype = context.node.results[0].dtype;
  return {-1, {}, scalar::constant_of(scalar::compute_type(dtype), static_cast<double>(count))};
}

Types infer_max(graph::InferContext& context) {
  if (context.operand(0).dtype.is_boolean()) context.fail("boolean has no order", "cast with to(t, u8)");
  return {{context.operand(0).dtype, parted_shape(context)}};
}

Types infer_avg(graph::InferContext& context) {
  require_floating(context, 0);
  return {{context.operand(0).dtype, parted_shape(context)}};
}

Value windows_of(Composer& c, Value x, const Dims& output, graph::Number fill) {
  return c.call(op<"adaptive_windows">(), {x}, graph::CallAttributes().integers(output).number(fill));
}

Dims last_dims(const graph::ValueType& type, const Dims& output) {
  return dims_from(type.shape.size() - output.size(), type.shape.size());
}

std::vector<Value> decompose_max(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const Dims output = graph::AttributeReader(node.attributes).integers();
  const Value windows = windows_of(c, node.operands[0], output, lowest_number(node.results[0].dtype));
  return {c.fold<"amax">(windows, last_dims(c.type(windows), output), false)};
}

std::vector<Value> decompose_avg(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const Dims output = graph::AttributeReader(node.attributes).integers();
  const DType dtype = node.results[0].dtype, compute = scalar::compute_type(dtype);
  const Value x = c.to(node.operands[0], compute);
  const Value windows = windows_of(c, x, output, graph::Number::of(0.0));
  const Value sum = c.fold<"sum">(windows, last_dims(c.type(windows), output), false);
  const std::vector<Expr> extents = extents_of(c.type(x), last_dims(c.type(x), output));
  graph::Attributes attributes;
  attributes.words.push_back(static_cast<int64_t>(extents.size()));
  for (Expr e : extents) attributes.scalars.push_back({graph::Number::of(0), -1, e, true});
  const graph::Attributes rest = graph::literal_attributes(graph::CallAttributes().integers(output).dtype(compute));
  attributes.words.insert(attributes.words.end(), rest.words.begin(), rest.words.end());
  return {c.to(c.binary<"div">(sum, c.call(op<"adaptive_counts">(), {}, std::move(attributes))), dtype)};
}

/// f of the elements of each part, in row-major order, with the fill where a part is shorter than the longest.
template <class F>
Array fold_each_part(const Node& node, const Array& x, const scalar::Constant& fill, const F& f) {
  const Dims output = graph::AttributeReader(node.attributes).integers();
  Array result = Array::zeros(x.dtype, result_shape(node));
  const size_t leading = x.shape.size() - output.size();
  Dims most;
  for (size_t d = 0; d < output.size(); ++d) {
    const int64_t extent = x.shape[leading + d];
    most.push_back(output[d] == 1 ? extent : (extent + output[d] - 1) / output[d] + 1);
  }
  reference::for_each_index(result.shape, [&](const Dims& index) {
    std::vector<scalar::Constant> values;
    int64_t count = 1;
    for (size_t d = 0; d < output.size(); ++d) {
      const auto [begin, end] = part_of(index[leading + d], x.shape[leading + d], output[d]);
      count *= end - begin;
    }
    reference::for_each_index(most, [&](const Dims& tap) {
      Dims at = index;
      bool inside = true;
      for (size_t d = 0; d < output.size(); ++d) {
        const auto [begin, end] = part_of(index[leading + d], x.shape[leading + d], output[d]);
        at[leading + d] = begin + tap[d];
        inside = inside && begin + tap[d] < end;
      }
      values.push_back(inside ? x.at(at) : fill);
    });
    result.set(index, f(values, count));
  });
  return result;
}

std::vector<Array> reference_max(const Node& node, std::span<const Array> operands) {
  const Array& x = operands[0];
  const DType compute = scalar::compute_type(x.dtype);
  const scalar::Constant lowest = scalar::reduction_identity(scalar::ReduceKind::amax, compute);
  return {fold_each_part(node, x, lowest, [&](const std::vector<scalar::Constant>& v, int64_t) {
    return reference::fold(scalar::ReduceKind::amax, compute, v);
  })};
}

std::vector<Array> reference_avg(const Node& node, std::span<const Array> operands) {
  const DType compute = scalar::compute_type(operands[0].dtype);
  const Array wide = converted(operands[0], compute);
  const auto mean = [&](const std::vector<scalar::Constant>& v, int64_t count) {
    const scalar::Constant quotient[] = {reference::fold(scalar::ReduceKind::sum, compute, v),
                                         scalar::constant_of(compute, static_cast<double>(count))};
    return scalar::evaluate(scalar::ScalarOp::div, quotient);
  };
  return {converted(fold_each_part(node, wide, scalar::constant_of(compute, 0), mean), operands[0].dtype)};
}

const std::vector<std::pair<Dims, Dims>>& sampled_parts() {
  static const std::vector<std::pair<Dims, Dims>> list = {
      {{3, 17}, {5}}, {{2, 3, 16}, {4}}, {{2, 7, 9}, {3, 1}}, {{2, 3, 16, 17}, {1, 1}}, {{2, 5, 6, 7}, {2, 6, 4}},
      {{3, 2}, {5}},  {{0, 3, 5}, {2}}};
  return list;
}

std::vector<graph::SampleCall> sample_parts(bool windows, bool floats) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& output, double low) {
    auto attributes = graph::CallAttributes().integers(output);
    if (windows) attributes.number(graph::Number::of(0));
    list.push_back(sample_call({sample_type(t, shape)}, attributes, low, 4));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean() && (!floats || t.is_floating())) add(t, {2, 7, 9}, {3, 4}, floats ? 0 : -4);
  for (const auto& [shape, output] : sampled_parts()) add(f32, shape, output, 0);
  return list;
}

std::vector<graph::SampleCall> sample_counts() {
  std::vector<graph::SampleCall> list;
  for (const DType t : {f16, bf16, f32, f64, i32, i64})
    for (const auto& [shape, output] : sampled_parts()) {
      auto attributes = graph::CallAttributes().extents(Dims(shape.span().last(output.size())));
      list.push_back(sample_call({}, attributes.integers(output).dtype(t)));
    }
  return list;
}

graph::OpDef parted_op(std::string_view name, std::string_view doc, graph::OpClass op_class) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = op_class;
  def.params = {{"output_size", graph::ParamKind::integers}};
  return def;
}

void register_parts() {
  using graph::ParamKind;
  graph::OpDef windows =
      parted_op("adaptive_windows", "The elements of each part of the last dims, in as many further dims.",
                graph::OpClass::indexed);
  windows.params.push_back({"fill", ParamKind::number});
  windows.infer = infer_windows;
  windows.lower = lower_windows;
  windows.reference = [](const Node& node, std::span<const Array> operands) {
    return std::vector{move_elements(node, operands, source_of_windows)};
  };
  windows.sample = sample_list([] { return sample_parts(true, false); });
  graph::register_op(std::move(windows));
  graph::OpDef counts = parted_op("adaptive_counts", "How many elements each part of dims of given extents has.",
                                  graph::OpClass::creation);
  counts.min_operands = counts.max_operands = 0;
  counts.params = {{"extents", ParamKind::extents}, {"output_size", ParamKind::integers}, {"dtype", ParamKind::dtype}};
  counts.infer = infer_counts;
  counts.lower = lower_counts;
  counts.reference = [](const Node& node, std::span<const Array> operands) {
    return std::vector{move_elements(node, operands, source_of_counts)};
  };
  counts.sample = sample_list(sample_counts);
  graph::register_op(std::move(counts));
}

}  // namespace

void register_adaptive_pooling() {
  register_parts();
  graph::OpDef avg =
      parted_op("adaptive_avg_pool", "The mean of each of the parts that the last dims are divided into.",
                graph::OpClass::reduction);
  avg.infer = infer_avg;
  avg.decompose = decompose_avg;
  avg.reference = reference_avg;
  avg.sample = sample_list([] { return sample_parts(false, true); });
  graph::register_op(std::move(avg));
  graph::OpDef max = parted_op("adaptive_max_pool", "The largest element of each part of the last dims; NaN wins.",
                               graph::OpClass::reduction);
  max.infer = infer_max;
  max.decompose = decompose_max;
  max.reference = reference_max;
  max.sample = sample_list([] { return sample_parts(false, false); });
  graph::register_op(std::move(max));
}

}  // namespace sinter::ops
