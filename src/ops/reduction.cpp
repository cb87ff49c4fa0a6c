// SPDX-License-Identifier: Apache-2.0
#include "src/ops/reduction.h"

#include <fmt/format.h>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/promotion.h"
#include "src/ops/samples.h"
#include "src/reference/reduce.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::ops {

graph::CallAttributes reduce_attributes(const ReduceOptions& options) {
  return graph::CallAttributes().integers(options.dims).flag(options.keepdim);
}

std::vector<graph::Param> reduce_params() {
  return {{"dims", graph::ParamKind::integers}, {"keepdim", graph::ParamKind::flag}};
}

namespace {

template <OpName name>
Tensor reduce(Operand& x, const ReduceOptions& options) {
  return dispatch(op<name>(), {&x}, reduce_attributes(options));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor sum(Operand x, ReduceOptions options) { return ops::reduce<"sum">(x, options); }
Tensor prod(Operand x, ReduceOptions options) { return ops::reduce<"prod">(x, options); }
Tensor amax(Operand x, ReduceOptions options) { return ops::reduce<"amax">(x, options); }
Tensor amin(Operand x, ReduceOptions options) { return ops::reduce<"amin">(x, options); }
Tensor mean(Operand x, ReduceOptions options) { return ops::reduce<"mean">(x, options); }

}  // namespace sinter

namespace sinter::ops {

using graph::Expr;
using graph::ReduceKind;

Reduced reduce_shape(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const graph::ValueType& x = context.operand(0);
  Reduced r;
  for (int d : context.dims(attributes.integers(), x.rank()))
    if (d < x.rank()) r.dims.push_back(d);  // a 0-d tensor has a dim 0 only by name
  const bool keepdim = attributes.flag();
  size_t next = 0;
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (next == r.dims.size() || r.dims[next] != static_cast<int>(d)) {
      r.shape.push_back(x.shape[d]);
      continue;
    }
    ++next;
    r.extents.push_back(x.shape[d]);
    if (keepdim) r.shape.push_back(Expr(1));
  }
  return r;
}

std::vector<int> reduced_dims(const Dims& dims, int rank) {
  std::vector<bool> chosen(static_cast<size_t>(rank), dims.empty());
  for (int64_t d : dims)
    if (rank > 0) chosen[static_cast<size_t>(d < 0 ? d + rank : d)] = true;
  std::vector<int> result;
  for (int d = 0; d < rank; ++d)
    if (chosen[static_cast<size_t>(d)]) result.push_back(d);
  return result;
}

namespace {

/// PyTorch sums and multiplies integers of every width, and booleans, in i64.
DType accumulated_dtype(DType t) { return t.is_floating() ? t : i64; }

std::vector<graph::ValueType> infer_sum(graph::InferContext& context) {
  return {{accumulated_dtype(context.operand(0).dtype), reduce_shape(context).shape}};
}

std::vector<graph::ValueType> infer_extreme(graph::InferContext& context) {
  const Reduced r = reduce_shape(context);
  if (element_count(r.extents).is_constant(0) && !element_count(r.shape).is_constant(0))
    context.fail(fmt::format("the elements of {} over dims of extent 0 have no extreme", describe(context.operand(0))),
                 "reduce dims that are not empty, or check numel() first");
  return {{context.operand(0).dtype, r.shape}};
}

std::vector<graph::ValueType> infer_mean(graph::InferContext& context) {
  return {{floating_result(context.operand(0).dtype), reduce_shape(context).shape}};
}

graph::ReductionSpec spec_of(ReduceKind kind, const graph::Node& node, const graph::Graph& g) {
  graph::AttributeReader attributes(node.attributes);
  const Dims dims = attributes.integers();
  return {kind, reduced_dims(dims, g.type(node.operands[0]).rank()), attributes.flag()};
}

/// The count as a tensor or, where it is a literal, as a number.
graph::Value divided_by_count(graph::Graph& g, graph::Value sum, std::span<const Expr> extents, SourceLine line) {
  const Expr count = element_count(extents);
  graph::CallAttributes numbers;
  numbers.flag(false);
  std::vector<graph::Value> operands{sum};
  if (const auto literal = count.constant()) {
    numbers.flag(true).number(graph::Number::of(*literal));
  } else {
    numbers.flag(false);
    const DType dtype = g.type(sum).dtype;
    graph::Attributes extent = graph::literal_attributes(graph::CallAttributes().extent(0).dtype(dtype));
    extent.scalars[0].expr = count;
    operands.push_back({g.add(op<"from_extent">(), {}, std::move(extent), line), 0});
  }
  return {g.add(op<"div">(), std::move(operands), graph::literal_attributes(numbers), line), 0};
}

graph::Value converted(graph::Graph& g, graph::Value v, DType dtype, SourceLine line) {
  if (g.type(v).dtype == dtype) return v;
  return {g.add(op<"to">(), {v}, graph::literal_attributes(graph::CallAttributes().dtype(dtype)), line), 0};
}

std::vector<graph::Value> decompose_mean(graph::Graph& g, const graph::Node& node) {
  const graph::Value x = node.operands[0];
  const DType result = node.results[0].dtype;
  std::vector<Expr> extents;
  for (int d : spec_of(ReduceKind::sum, node, g).dims) extents.push_back(g.type(x).shape[static_cast<size_t>(d)]);
  const graph::Attributes attributes = node.attributes;
  const SourceLine line = node.line;
  const graph::Value wide = converted(g, x, scalar::compute_type(result), line);
  const graph::Value sum{g.add(op<"sum">(), {wide}, attributes, line), 0};
  return {converted(g, divided_by_count(g, sum, extents, line), result, line)};
}

graph::ReductionSpec reference_spec(ReduceKind kind, const graph::Node& node, const reference::Array& x) {
  graph::AttributeReader attributes(node.attributes);
  const Dims dims = attributes.integers();
  return {kind, reduced_dims(dims, static_cast<int>(x.shape.size())), attributes.flag()};
}

std::vector<reference::Array> reference_mean(const graph::Node& node, std::span<const reference::Array> operands) {
  const DType result = node.results[0].dtype, compute = scalar::compute_type(result);
  const graph::ReductionSpec spec = reference_spec(ReduceKind::sum, node, operands[0]);
  double count = 1;
  for (int d : spec.dims) count *= static_cast<double>(operands[0].shape[static_cast<size_t>(d)]);
  const reference::Array sum = reference::reduce(operands[0], spec, compute);
  reference::Array mean = reference::Array::zeros(result, sum.shape);
  for (int64_t i = 0; i < sum.size(); ++i) {
    const scalar::Constant quotient[] = {sum.at(i), scalar::constant_of(compute, count)};
    mean.set(i, reference::rounded(scalar::evaluate(scalar::ScalarOp::div, quotient), result));
  }
  return {std::move(mean)};
}

}  // namespace

std::vector<graph::SampleCall> sample_reduction(bool empty_is_legal, double low, double high) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const ReduceOptions& options) {
    list.push_back(sample_call({sample_type(t, shape)}, reduce_attributes(options), low, high));
  };
  for (const DType t : all_dtypes) {
    add(t, {7, 17}, {});
    add(t, {7, 17}, {.dims = {1}});
    add(t, {17, 7}, {.dims = {0}, .keepdim = true});
  }
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {1023}, {});
    add(t, {3, 2500}, {.dims = {-1}});
    add(t, {2500, 3}, {.dims = {0}});
  }
  add(f32, {}, {});
  add(f32, {}, {.dims = {-1}, .keepdim = true});
  add(f32, {1}, {.dims = {0}});
  add(f32, {2, 16, 3, 5}, {.dims = {1, -1}});
  add(f32, {2, 16, 3}, {.dims = {0, 2}, .keepdim = true});
  add(f32, {5, 1, 3}, {.dims = {1}});
  add(f32, {0, 3}, {.dims = {1}});
  if (empty_is_legal) {
    add(f32, {0}, {});
    add(i32, {3, 0}, {.dims = {1}});
    add(bf16, {5, 0}, {.dims = {-1}, .keepdim = true});
  }
  return list;
}

namespace {

struct Reduction {
  std::string_view name, doc;
  ReduceKind kind;
  std::vector<graph::ValueType> (*infer)(graph::InferContext&);
  bool empty_is_legal = true;
  double low = -4, high = 4;
};

graph::OpDef reduction_op(const Reduction& r) {
  graph::OpDef def;
  def.name = r.name;
  def.doc = r.doc;
  def.op_class = graph::OpClass::reduction;
  def.params = reduce_params();
  def.infer = r.infer;
  def.sample = sample_list([r] { return sample_reduction(r.empty_is_legal, r.low, r.high); });
  return def;
}

void register_fold(const Reduction& r) {
  graph::OpDef def = reduction_op(r);
  def.reduction = [kind = r.kind](const graph::Node& node, const graph::Graph& g) { return spec_of(kind, node, g); };
  def.reference = [kind = r.kind](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{reference::reduce(operands[0], reference_spec(kind, node, operands[0]), node.results[0].dtype)};
  };
  graph::register_op(std::move(def));
}

}  // namespace

void register_reduction() {
  register_fold({"sum", "Sum over dims; integers and booleans give i64.", ReduceKind::sum, infer_sum});
  register_fold(
      {"prod", "Product over dims; integers and booleans give i64.", ReduceKind::prod, infer_sum, true, -1.5, 1.5});
  register_fold({"amax", "Largest element over dims; NaN wins.", ReduceKind::amax, infer_extreme, false});
  register_fold({"amin", "Smallest element over dims; NaN wins.", ReduceKind::amin, infer_extreme, false});
  graph::OpDef mean = reduction_op(
      {"mean", "sum / count over dims, rounded once; integers and booleans give f32.", ReduceKind::sum, infer_mean});
  mean.decompose = decompose_mean;
  mean.reference = reference_mean;
  graph::register_op(std::move(mean));
}

}  // namespace sinter::ops
