// SPDX-License-Identifier: Apache-2.0
// Two sums in the canonical order, of the elements and of squared deviations from their mean, both in f64: squares of
// all f32 are finite and not 0 there, and the error of the mean does not show (docs/decisions/0019).
#include <sinter/reductions.h>

#include <algorithm>
#include <cmath>

#include "src/ops/compose.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/host_operand.h"
#include "src/ops/reduction.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

graph::CallAttributes variance_attributes(const VarOptions& options) {
  return reduce_attributes({options.dims, options.keepdim}).number(graph::Number::of(options.correction));
}

/// A spread of x and its mean, of which x is borrowed and the mean takes it.
VarMean with_mean(const graph::OpDef& spread, Operand& x, const VarOptions& options) {
  require_tensor(x, spread.name);
  Operand whole = borrowed(x);
  Tensor first = dispatch(spread, {&whole}, variance_attributes(options));
  return {std::move(first), dispatch(op<"mean">(), {&x}, reduce_attributes({options.dims, options.keepdim}))};
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor var(Operand x, VarOptions options) {
  return ops::dispatch(ops::op<"var">(), {&x}, ops::variance_attributes(options));
}
Tensor std(Operand x, VarOptions options) {
  return ops::dispatch(ops::op<"std">(), {&x}, ops::variance_attributes(options));
}
VarMean var_mean(Operand x, VarOptions options) { return ops::with_mean(ops::op<"var">(), x, options); }
VarMean std_mean(Operand x, VarOptions options) { return ops::with_mean(ops::op<"std">(), x, options); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

std::vector<graph::ValueType> infer_variance(graph::InferContext& context) {
  require_floating(context, 0);
  return {{context.operand(0).dtype, reduce_shape(context).shape}};
}

struct VarianceAttributes {
  Dims dims;
  bool keepdim;
  const graph::Scalar& correction;
};

VarianceAttributes read_variance(const Node& node) {
  graph::AttributeReader attributes(node.attributes);
  const Dims dims = attributes.integers();
  const bool keepdim = attributes.flag();
  return {dims, keepdim, attributes.number()};
}

Value decomposed_variance(Composer& c, const Node& node) {
  const auto [dims, keepdim, correction] = read_variance(node);
  const Value x = c.to(node.operands[0], f64);
  std::vector<graph::Expr> extents;
  for (int d : reduced_dims(dims, c.type(x).rank())) extents.push_back(c.type(x).shape[static_cast<size_t>(d)]);
  const Value count = c.count(extents, f64);
  const Value mean = c.binary<"div">(c.fold<"sum">(x, dims, true), count);
  const Value squares = c.fold<"sum">(c.square(c.binary<"sub">(x, mean)), dims, keepdim);
  return c.binary<"div">(squares, c.clamp_min(c.binary<"sub">(count, correction), 0));
}

std::vector<Value> decompose_var(Graph& g, const Node& node) {
  Composer c(g, node.line);
  return {c.to(decomposed_variance(c, node), node.results[0].dtype)};
}

std::vector<Value> decompose_std(Graph& g, const Node& node) {
  Composer c(g, node.line);
  return {c.to(c.unary<"sqrt">(decomposed_variance(c, node)), node.results[0].dtype)};
}

template <bool root>
std::vector<Array> reference_variance(const Node& node, std::span<const Array> operands) {
  const Array wide = converted(operands[0], f64);
  const VarianceAttributes attributes = read_variance(node);
  const double correction = attributes.correction.literal.as_double();
  Dims dims;
  for (int d : reduced_dims(attributes.dims, static_cast<int>(wide.shape.size()))) dims.push_back(d);
  const auto spread = [correction](auto row) {
    const auto n = static_cast<double>(row.size());
    std::vector<double> values(row.begin(), row.end());
    const double mean = sum_row<double>(values) / n;
    for (double& v : values) v = (v - mean) * (v - mean);
    const double variance = sum_row<double>(values) / std::max(n - correction, 0.0);
    return static_cast<typename decltype(row)::value_type>(root ? std::sqrt(variance) : variance);
  };
  return {converted(fold_rows(wide, dims, result_shape(node), spread), operands[0].dtype)};
}

std::vector<graph::SampleCall> sample_variance() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const VarOptions& options, double low, double high) {
    list.push_back(sample_call({sample_type(t, shape)}, variance_attributes(options), low, high));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {7, 17}, {.dims = {-1}}, 0, 8);
    add(t, {17, 7}, {.dims = {0}, .correction = 0, .keepdim = true}, -4, 4);
    add(t, {3, 1040}, {.dims = {1}}, 0, 300);
  }
  add(f32, {2500}, {}, 100000, 100001);
  add(f32, {300}, {}, 0, 1e30);
  add(f32, {300}, {}, 0, 1e-30);
  add(f32, {2, 16, 3}, {.dims = {0, 2}, .correction = 2.5}, 0, 4);
  add(f32, {5, 1, 3}, {.dims = {1}}, 0, 4);
  add(f32, {2, 3}, {.dims = {0}, .correction = 3}, 0, 4);
  add(f32, {}, {}, 0, 4);
  add(f32, {0, 3}, {.dims = {0}}, 0, 4);
  add(f32, {0, 3}, {.dims = {1}}, 0, 4);
  return list;
}

graph::OpDef variance_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.params = reduce_params();
  def.params.push_back({"correction", graph::ParamKind::number});
  def.infer = infer_variance;
  def.sample = sample_list(sample_variance);
  return def;
}

}  // namespace

void register_variance() {
  graph::OpDef var = variance_op("var", "Variance over dims, the sum of squared deviations by count - correction.");
  var.decompose = decompose_var;
  var.reference = reference_variance<false>;
  graph::register_op(std::move(var));
  graph::OpDef deviation =
      variance_op("std", "Standard deviation over dims, the square root of var before it is rounded.");
  deviation.decompose = decompose_std;
  deviation.reference = reference_variance<true>;
  graph::register_op(std::move(deviation));
}

}  // namespace sinter::ops
