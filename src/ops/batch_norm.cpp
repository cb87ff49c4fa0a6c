// SPDX-License-Identifier: Apache-2.0
#include "src/ops/batch_norm.h"

#include <fmt/format.h>
#include <sinter/convolution.h>

#include <utility>

#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/graph_writer.h"
#include "src/ops/samples.h"
#include "src/reference/array.h"

namespace sinter::ops {
namespace {

constexpr size_t channels_last_word = 2;

graph::CallAttributes batch_norm_attributes(bool weight, bool bias, double eps) {
  return graph::CallAttributes().flag(weight).flag(bias).flag(false).number(graph::Number::of(eps));
}

bool is_given(const Operand& o) { return !o.is_tensor() || o.tensor().defined(); }

Tensor normalise(Operand& x, Operand& mean, Operand& var, Operand& weight, Operand& bias, double eps) {
  const bool weighted = is_given(weight), biased = is_given(bias);
  const graph::OpDef& def = op<"batch_norm">();
  const graph::CallAttributes attributes = batch_norm_attributes(weighted, biased, eps);
  if (weighted && biased) return dispatch(def, {&x, &mean, &var, &weight, &bias}, attributes);
  if (weighted) return dispatch(def, {&x, &mean, &var, &weight}, attributes);
  if (biased) return dispatch(def, {&x, &mean, &var, &bias}, attributes);
  return dispatch(def, {&x, &mean, &var}, attributes);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor batch_norm(Operand x, Operand mean, Operand var, BatchNormOptions options) {
  Operand weight(std::move(options.weight)), bias(std::move(options.bias));
  return ops::normalise(x, mean, var, weight, bias, options.eps);
}
Tensor batch_norm(Operand x, Operand mean, Operand var, Operand weight, Operand bias, double eps) {
  return ops::normalise(x, mean, var, weight, bias, eps);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

std::vector<graph::ValueType> infer_batch_norm(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const size_t expected = 3 + size_t{attributes.flag()} + size_t{attributes.flag()};
  const graph::ValueType& x = context.operand(0);
  const bool channels_last = attributes.flag();
  if (context.operand_count() != expected)
    context.fail(fmt::format("{} operands where the flags say {}", context.operand_count(), expected));
  if (!x.dtype.is_floating())
    context.fail(fmt::format("expected a floating dtype, got {}", x.dtype.name()), "cast with to(t, f32)");
  if (x.rank() < 2) context.fail(fmt::format("expected an input [N,C,...], got {}", describe(x)), "unsqueeze() it");
  const size_t channel_dim = channels_last ? x.shape.size() - 1 : 1;
  const DType parameters = context.operand(1).dtype;
  for (size_t i = 1; i < expected; ++i) {
    const graph::ValueType& p = context.operand(i);
    if (p.rank() != 1 || !context.same_extent(p.shape[0], x.shape[channel_dim]))
      context.fail(fmt::format("operand {} is {}; the input {} has {} channels in dim {}", i, describe(p), describe(x),
                               x.shape[channel_dim].text(), channel_dim),
                   "mean, var, weight and bias have one element a channel");
    if (p.dtype != parameters || (p.dtype != x.dtype && p.dtype != scalar::compute_type(x.dtype)))
      context.fail(fmt::format("operand {} is {} beside {} and an input {}", i, describe(p),
                               describe(context.operand(1)), describe(x)),
                   fmt::format("give all of them as {}", scalar::compute_type(x.dtype).name()));
  }
  return {x};
}

std::vector<Value> decompose_batch_norm(graph::Graph& g, const graph::Node& node) {
  const BatchNormCall call = read_batch_norm(node);
  const Value x = node.operands[0];
  const graph::ValueType result = node.results[0];
  const SourceLine line = node.line;
  const DType compute = scalar::compute_type(result.dtype);
  const size_t rank = call.channels_last ? 1 : result.shape.size() - 1;  // from the channel on
  GraphWriter write(g, line);
  const Value scale = batch_norm_scale(g, call, compute, line);
  const Value centred = write.binary<"sub">(write.cast(x, compute), write.column(write.cast(call.mean, compute), rank));
  Value y = write.binary<"mul">(centred, write.column(scale, rank));
  if (call.bias) y = write.binary<"add">(y, write.column(write.cast(*call.bias, compute), rank));
  return {write.cast(y, result.dtype)};
}

scalar::Constant apply(scalar::ScalarOp op, std::initializer_list<scalar::Constant> operands) {
  return scalar::evaluate(op, {operands.begin(), operands.size()});
}

std::vector<reference::Array> reference_batch_norm(const graph::Node& node,
                                                   std::span<const reference::Array> operands) {
  using scalar::ScalarOp;
  graph::AttributeReader attributes(node.attributes);
  const bool weighted = attributes.flag(), biased = attributes.flag(), channels_last = attributes.flag();
  const reference::Array& x = operands[0];
  const DType compute = scalar::compute_type(x.dtype);
  const scalar::Constant eps = graph::constant_of(attributes.number().literal, compute);
  reference::Array result = reference::Array::zeros(x.dtype, x.shape);
  reference::for_each_index(x.shape, [&](const Dims& index) {
    const Dims channel{channels_last ? index.back() : index[1]};
    const scalar::Constant deviation = apply(ScalarOp::sqrt, {apply(ScalarOp::add, {operands[2].at(channel), eps})});
    const scalar::Constant weight = weighted ? operands[3].at(channel) : scalar::constant_of(compute, 1);
    const scalar::Constant centred = apply(ScalarOp::sub, {x.at(index), operands[1].at(channel)});
    scalar::Constant y = apply(ScalarOp::mul, {centred, apply(ScalarOp::div, {weight, deviation})});
    if (biased) y = apply(ScalarOp::add, {y, operands[weighted ? 4 : 3].at(channel)});
    result.set(index, reference::rounded(y, x.dtype));
  });
  return {std::move(result)};
}

std::vector<graph::SampleCall> sample_batch_norm() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType x, DType parameters, const Dims& shape, bool weight, bool bias) {
    std::vector<graph::ValueType> operands{sample_type(x, shape)};
    for (int i = 0; i < 2 + weight + bias; ++i) operands.push_back(sample_type(parameters, {shape[1]}));
    list.push_back(sample_call(std::move(operands), batch_norm_attributes(weight, bias, 1e-5), 0.25, 4));
  };
  for (const DType t : {f16, bf16, f32, f64}) add(t, scalar::compute_type(t), {2, 3, 5, 7}, true, true);
  add(f16, f16, {2, 3, 5, 7}, true, false);
  add(f32, f32, {17, 16}, false, true);
  add(f32, f32, {2, 1, 16}, false, false);
  add(bf16, f32, {0, 3, 2}, true, true);
  add(f16, f32, {2, 3, 5, 3}, true, true);
  list.back().attributes = channels_last_batch_norm(list.back().attributes);
  return list;
}

}  // namespace

BatchNormCall read_batch_norm(const graph::Node& node) {
  graph::AttributeReader attributes(node.attributes);
  const bool weighted = attributes.flag(), biased = attributes.flag(), channels_last = attributes.flag();
  BatchNormCall call{node.operands[1], node.operands[2], std::nullopt,
                     std::nullopt,     channels_last,    attributes.number()};
  if (weighted) call.weight = node.operands[3];
  if (biased) call.bias = node.operands.back();
  return call;
}

graph::Attributes channels_last_batch_norm(graph::Attributes attributes) {
  attributes.words[channels_last_word] = 1;
  return attributes;
}

Value batch_norm_scale(graph::Graph& g, const BatchNormCall& call, DType compute, SourceLine line) {
  GraphWriter write(g, line);
  graph::Attributes beside_eps;
  beside_eps.words = {0, 1};  // tensor + number
  beside_eps.scalars = {call.eps};
  const Value shifted = write.add(op<"add">(), {write.cast(call.var, compute)}, std::move(beside_eps));
  const Value deviation = write.add(op<"sqrt">(), {shifted}, {});
  if (call.weight) return write.binary<"div">(write.cast(*call.weight, compute), deviation);
  const graph::CallAttributes one_over = graph::CallAttributes().flag(true).number(graph::Number::of(1.0)).flag(false);
  return write.add(op<"div">(), {deviation}, graph::literal_attributes(one_over));
}

void register_batch_norm() {
  graph::OpDef def;
  def.name = "batch_norm";
  def.doc = "(x - mean) * (weight / sqrt(var + eps)) + bias by channel (dim 1): inference with given statistics.";
  def.op_class = graph::OpClass::indexed;
  def.min_operands = 3;
  def.max_operands = 5;
  def.params = {{"has_weight", graph::ParamKind::flag},
                {"has_bias", graph::ParamKind::flag},
                {"channels_last", graph::ParamKind::flag},
                {"eps", graph::ParamKind::number}};
  def.infer = infer_batch_norm;
  def.decompose = decompose_batch_norm;
  def.reference = reference_batch_norm;
  def.sample = sample_list(sample_batch_norm);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
