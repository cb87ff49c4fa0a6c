// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/normalization.h>

#include <algorithm>

#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/standardize.h"
#include "src/ops/transcendental.h"
#include "src/reference/elementwise.h"

namespace sinter::ops {
namespace {

/// The distance from 1 to the next number of the dtype in which rms_norm computes.
double spacing_at_one(DType t) { return t == f64 ? 0x1p-52 : 0x1p-23; }

graph::CallAttributes norm_attributes(const Tensor& weight, const Tensor& bias, const Dims& shape, double eps) {
  return affine_attributes(weight, bias).extents(shape).number(graph::Number::of(eps));
}

double eps_of(const RmsNormOptions& options, const Operand& x) {
  if (options.eps) return *options.eps;
  return x.is_tensor() && x.tensor().defined() ? spacing_at_one(x.tensor().dtype()) : 0;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor layer_norm(Operand x, const Dims& normalized_shape, const LayerNormOptions& options) {
  return ops::dispatch_affine(ops::op<"layer_norm">(), x, options.weight, options.bias,
                              ops::norm_attributes(options.weight, options.bias, normalized_shape, options.eps));
}
Tensor rms_norm(Operand x, const Dims& normalized_shape, const RmsNormOptions& options) {
  const auto attributes = ops::norm_attributes(options.weight, {}, normalized_shape, ops::eps_of(options, x));
  return ops::dispatch_affine(ops::op<"rms_norm">(), x, options.weight, {}, attributes);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

struct LayerAttributes {
  Affine affine;
  std::vector<Expr> shape;
  const graph::Scalar& eps;
};

LayerAttributes read_layer(graph::AttributeReader attributes) {
  const Affine affine = read_affine(attributes);
  std::vector<Expr> shape = attributes.extents();
  return {affine, std::move(shape), attributes.number()};
}

std::vector<graph::ValueType> infer_layer(graph::InferContext& context) {
  require_floating(context, 0);
  const graph::ValueType& x = context.operand(0);
  const LayerAttributes a = read_layer(context.attributes());
  require_operands(context, operands_of(a.affine));
  if (a.shape.empty() || a.shape.size() > x.shape.size())
    context.fail(fmt::format("a normalized_shape of {} dims for {}", a.shape.size(), describe(x)),
                 "give the extents of the last dims, one or more");
  const std::span<const Expr> last = std::span(x.shape).last(a.shape.size());
  for (size_t d = 0; d < a.shape.size(); ++d)
    if (!context.same_extent(last[d], a.shape[d]))
      context.fail(fmt::format("normalized_shape {} for {}", describe(std::span<const Expr>(a.shape)), describe(x)),
                   "give the extents of its last dims");
  if (a.affine.weight >= 0) require_parameter(context, static_cast<size_t>(a.affine.weight), "weight", last);
  if (a.affine.bias >= 0) require_parameter(context, static_cast<size_t>(a.affine.bias), "bias", last);
  return {x};
}

Dims last_dims(size_t rank, size_t count) { return dims_from(rank - count, rank); }

std::vector<Value> decompose_layer(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const LayerAttributes a = read_layer(graph::AttributeReader(node.attributes));
  const graph::ValueType type = node.results[0];
  const Value x = c.to(node.operands[0], scalar::compute_type(type.dtype));
  const Value y = standardized(c, x, last_dims(type.shape.size(), a.shape.size()), a.eps);
  return {c.to(affine(c, y, node, a.affine, std::span(type.shape).last(a.shape.size())), type.dtype)};
}

std::vector<Value> decompose_rms(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const LayerAttributes a = read_layer(graph::AttributeReader(node.attributes));
  const graph::ValueType type = node.results[0];
  const Dims dims = last_dims(type.shape.size(), a.shape.size());
  const Value x = c.to(node.operands[0], scalar::compute_type(type.dtype));
  const Value sum = c.fold<"sum">(c.square(x), dims, true);
  const Value mean = c.binary<"div">(sum, c.count(extents_of(type, dims), c.type(x).dtype));
  const Value y = c.binary<"mul">(x, c.unary<"rsqrt">(c.binary<"add">(mean, a.eps)));
  return {c.to(affine(c, y, node, a.affine, std::span(type.shape).last(a.shape.size())), type.dtype)};
}

Array rms_standardized(const Array& x, const Dims& dims, double eps) {
  return map_rows(x, dims, [eps]<class T>(std::span<T> row) {
    std::vector<T> squares;
    for (T v : row) squares.push_back(v * v);
    const T mean = sum_row<T>(squares) / static_cast<T>(row.size());
    const T scale = apply(rsqrt_value, mean + static_cast<T>(eps));
    for (T& v : row) v *= scale;
  });
}

template <Array (*standardize)(const Array&, const Dims&, double)>
std::vector<Array> reference_layer(const Node& node, std::span<const Array> operands) {
  const LayerAttributes a = read_layer(graph::AttributeReader(node.attributes));
  const Array wide = converted(operands[0], scalar::compute_type(operands[0].dtype));
  const size_t rank = wide.shape.size();
  const Array y = standardize(wide, last_dims(rank, a.shape.size()), a.eps.literal.as_double());
  const Dims parameter(wide.shape.span().subspan(rank - a.shape.size()));
  return {converted(affine(y, operands, a.affine, parameter), operands[0].dtype)};
}

/// x of a shape, with parameters of the last `normalized` dims.
std::vector<graph::SampleCall> sample_layer(bool with_bias) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, DType p, const Dims& shape, size_t normalized, bool weight, bool bias, double low,
                       double high) {
    const Dims last(shape.span().subspan(shape.size() - normalized));
    std::vector<graph::ValueType> operands{sample_type(t, shape)};
    if (weight) operands.push_back(sample_type(p, last));
    if (bias) operands.push_back(sample_type(p, last));
    const auto attributes =
        graph::CallAttributes().flag(weight).flag(bias).extents(last).number(graph::Number::of(1e-5));
    list.push_back(sample_call(operands, attributes, low, high));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, t, {7, 17}, 1, true, with_bias, 0, 8);
    add(t, t, {3, 1024}, 1, false, false, -300, 300);
    add(t, t, {2, 3, 40}, 2, true, false, 0, 3);
  }
  add(bf16, f32, {5, 64}, 1, true, with_bias, 0, 3);
  add(f32, f32, {2, 2500}, 1, true, with_bias, 0, 9);
  add(f32, f32, {5}, 1, false, with_bias, 0, 3);
  add(f32, f32, {3, 1}, 1, true, with_bias, 0, 3);
  add(f32, f32, {0, 3}, 1, true, with_bias, 0, 3);
  add(f32, f32, {3, 0}, 1, true, with_bias, 0, 3);
  return list;
}

graph::OpDef layer_op(std::string_view name, std::string_view doc, bool with_bias) {
  using graph::ParamKind;
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.max_operands = with_bias ? 3 : 2;
  def.params = affine_params();
  def.params.push_back({"normalized_shape", ParamKind::extents});
  def.params.push_back({"eps", ParamKind::number});
  def.infer = infer_layer;
  def.sample = sample_list([with_bias] { return sample_layer(with_bias); });
  return def;
}

}  // namespace

void register_layer_norm() {
  graph::OpDef layer =
      layer_op("layer_norm", "(x - mean) * rsqrt(var + eps) over the last dims, times weight, plus bias.", true);
  layer.decompose = decompose_layer;
  layer.reference = reference_layer<standardized>;
  graph::register_op(std::move(layer));
  graph::OpDef rms = layer_op("rms_norm", "x * rsqrt(mean(x * x) + eps) over the last dims, times weight.", false);
  rms.decompose = decompose_rms;
  rms.reference = reference_layer<rms_standardized>;
  graph::register_op(std::move(rms));
}

}  // namespace sinter::ops
