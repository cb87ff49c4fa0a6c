// SPDX-License-Identifier: Apache-2.0
// Folds of element != 0. NaN is not 0.
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/reduction.h"
#include "src/ops/samples.h"
#include "src/reference/array.h"
#include "src/scalar/scalar_ops.h"

namespace sinter {

Tensor any(Operand x, ReduceOptions options) {
  return ops::dispatch(ops::op<"any">(), {&x}, ops::reduce_attributes(options));
}
Tensor all(Operand x, ReduceOptions options) {
  return ops::dispatch(ops::op<"all">(), {&x}, ops::reduce_attributes(options));
}
Tensor count_nonzero(Operand x, ReduceOptions options) {
  return ops::dispatch(ops::op<"count_nonzero">(), {&x}, ops::reduce_attributes(options));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using graph::ValueType;

Value cast(Graph& g, Value x, DType dtype, SourceLine line) {
  if (g.type(x).dtype == dtype) return x;
  return {g.add(op<"to">(), {x}, graph::literal_attributes(graph::CallAttributes().dtype(dtype)), line), 0};
}

/// u8 stays u8, from the time before PyTorch had booleans.
std::vector<ValueType> infer_logic(graph::InferContext& context) {
  return {{context.operand(0).dtype == u8 ? u8 : boolean, reduce_shape(context).shape}};
}

std::vector<ValueType> infer_count(graph::InferContext& context) { return {{i64, reduce_shape(context).shape}}; }

/// Where nothing is folded, amax and amin refuse: that result is the fold's neutral element.
bool folds_nothing(const ValueType& x, const Dims& dims) {
  for (const int d : reduced_dims(dims, x.rank()))
    if (x.shape[static_cast<size_t>(d)].is_constant(0)) return true;
  return false;
}

Value filled(Graph& g, const ValueType& type, bool value, SourceLine line) {
  graph::Attributes attributes;
  attributes.words = {static_cast<int64_t>(type.shape.size()), graph::word_of(type.dtype), graph::word_of(g.device)};
  for (const graph::Expr e : type.shape) attributes.scalars.push_back({graph::Number::of(0), -1, e, true});
  attributes.scalars.push_back({graph::Number::of(value), -1, {}, false});
  return {g.add(op<"full">(), {}, std::move(attributes), line), 0};
}

std::vector<Value> decompose_logic(Graph& g, const Node& node, const graph::OpDef& fold, bool neutral) {
  const ValueType type = node.results[0];
  const graph::Attributes attributes = node.attributes;
  const SourceLine line = node.line;
  const Value x = node.operands[0];
  if (folds_nothing(g.type(x), graph::AttributeReader(attributes).integers())) return {filled(g, type, neutral, line)};
  const Value truth = cast(g, x, boolean, line);
  return {cast(g, {g.add(fold, {truth}, attributes, line), 0}, type.dtype, line)};
}

std::vector<Value> decompose_count(Graph& g, const Node& node) {
  const graph::Attributes attributes = node.attributes;
  const SourceLine line = node.line;
  const Value truth = cast(g, node.operands[0], boolean, line);
  return {{g.add(op<"sum">(), {truth}, attributes, line), 0}};
}

/// Elements that are not 0, and all elements, for each element of the result.
struct Counts {
  std::vector<int64_t> nonzero, total;
};

Counts counts_of(const reference::Array& x, const Dims& dims, const Dims& result_shape) {
  const auto n = static_cast<size_t>(result_shape.product());
  Counts counts{std::vector<int64_t>(n), std::vector<int64_t>(n)};
  const std::vector<int> reduced = reduced_dims(dims, static_cast<int>(x.shape.size()));
  int64_t next = 0;
  reference::for_each_index(x.shape, [&](const Dims& index) {
    size_t at = 0;
    for (size_t d = 0, r = 0; d < index.size(); ++d) {
      if (r < reduced.size() && reduced[r] == static_cast<int>(d))
        ++r;
      else
        at = at * static_cast<size_t>(x.shape[d]) + static_cast<size_t>(index[d]);
    }
    counts.nonzero[at] += scalar::as_double(x.at(next++)) != 0;
    ++counts.total[at];
  });
  return counts;
}

template <class F>
std::vector<reference::Array> counted(const Node& node, std::span<const reference::Array> operands, const F& f) {
  Dims shape;
  for (const graph::Expr e : node.results[0].shape) shape.push_back(e.constant().value());
  const DType dtype = node.results[0].dtype;
  const Counts counts = counts_of(operands[0], graph::AttributeReader(node.attributes).integers(), shape);
  reference::Array result = reference::Array::zeros(dtype, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    result.set(i, scalar::constant_int(scalar::compute_type(dtype), f(counts.nonzero[at], counts.total[at])));
  }
  return {std::move(result)};
}

graph::OpDef counting_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.params = reduce_params();
  def.sample = sample_list([] { return sample_reduction(true, -1.2, 1.2); });
  return def;
}

}  // namespace

void register_reduction_logic() {
  graph::OpDef any = counting_op("any", "Is any element over dims not 0? Nothing gives false; u8 gives u8.");
  any.infer = infer_logic;
  any.decompose = [](Graph& g, const Node& node) { return decompose_logic(g, node, op<"amax">(), false); };
  any.reference = [](const Node& node, std::span<const reference::Array> operands) {
    return counted(node, operands, [](int64_t nonzero, int64_t) { return nonzero > 0; });
  };
  graph::register_op(std::move(any));
  graph::OpDef all = counting_op("all", "Is no element over dims 0? Nothing gives true; u8 gives u8.");
  all.infer = infer_logic;
  all.decompose = [](Graph& g, const Node& node) { return decompose_logic(g, node, op<"amin">(), true); };
  all.reference = [](const Node& node, std::span<const reference::Array> operands) {
    return counted(node, operands, [](int64_t nonzero, int64_t total) { return nonzero == total; });
  };
  graph::register_op(std::move(all));
  graph::OpDef count = counting_op("count_nonzero", "How many elements over dims are not 0, in i64.");
  count.infer = infer_count;
  count.decompose = decompose_count;
  count.reference = [](const Node& node, std::span<const reference::Array> operands) {
    return counted(node, operands, [](int64_t nonzero, int64_t) { return nonzero; });
  };
  graph::register_op(std::move(count));
}

}  // namespace sinter::ops
