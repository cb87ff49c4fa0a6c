// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/random.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/random_op.h"
#include "src/ops/random_unit.h"

namespace sinter::ops {
namespace {

void check_probability(std::string_view op, double p, SourceLine line) {
  if (!(p >= 0 && p <= 1)) refuse(op, line, fmt::format("expected a probability between 0 and 1, got {}", p), {});
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor bernoulli(Operand p) {
  const ops::Draw draw = ops::next_draw(ops::require_tensor(p, "bernoulli").device(), "bernoulli", p.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).flag(false);
  return ops::dispatch(ops::op<"bernoulli">(), {&p, &state}, attributes);
}

Tensor bernoulli(Operand x, double p) {
  ops::check_probability("bernoulli", p, x.line());
  const ops::Draw draw = ops::next_draw(ops::require_tensor(x, "bernoulli").device(), "bernoulli", x.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).flag(true).number(graph::Number::of(p));
  return ops::dispatch(ops::op<"bernoulli">(), {&x, &state}, attributes);
}

Tensor dropout(Operand x, double p, bool training) {
  ops::check_probability("dropout", p, x.line());
  const Tensor& tensor = ops::require_tensor(x, "dropout");
  if (!training || p == 0) return tensor;
  const ops::Draw draw = ops::next_draw(tensor.device(), "dropout", x.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after));
  attributes.number(graph::Number::of(1 - p)).number(graph::Number::of(p < 1 ? 1 / (1 - p) : 0.0));
  return ops::dispatch(ops::op<"dropout">(), {&x, &state}, attributes);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

/// Decisions are made with the numbers of uniform() in f32, for f16 and bf16 as well, or f64.
DType deciding_type(DType dtype) { return dtype == f64 ? f64 : f32; }

/// draw, and the probability if it is the same for all elements.
struct BernoulliCall {
  graph::Scalar draw;
  std::optional<graph::Scalar> probability;

  explicit BernoulliCall(graph::AttributeReader attributes) : draw(attributes.number()) {
    if (attributes.flag()) probability = attributes.number();
  }
};

std::vector<graph::ValueType> infer_bernoulli(graph::InferContext& context) {
  check_state(context, 1);
  const BernoulliCall call(context.attributes());
  if (!call.probability && !context.operand(0).dtype.is_floating())
    context.fail(fmt::format("expected probabilities of a floating dtype, got {}", context.operand(0).dtype.name()),
                 "bernoulli(x, p) takes one probability for all elements of x");
  return {context.operand(0)};
}

Value lower_bernoulli(loop::Reader& reader, std::span<const graph::Expr> index) {
  loop::Builder& b = reader.builder();
  const BernoulliCall call(reader.attributes());
  const DType dtype = reader.result_type().dtype, deciding = deciding_type(dtype);
  const RandomBlock block = random_block(reader, index, call.draw, uniform_k(deciding));
  const Value p = call.probability ? reader.number(*call.probability, deciding) : reader.read(0, index);
  const Value one = b.lt(uniform_unit(b, block, deciding), p);
  return dtype.is_boolean() ? one : b.convert(one, scalar::compute_type(dtype));
}

/// The uniform number of each element of the result in turn.
template <class Element>
std::vector<reference::Array> by_element(const reference::Array& x, const reference::Array& state,
                                         const graph::Scalar& draw, const Element& element) {
  const DType deciding = deciding_type(x.dtype);
  const ReferenceWords words(state, draw);
  const int k = uniform_k(deciding);
  reference::Array result = reference::Array::zeros(x.dtype, x.shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto n = static_cast<uint64_t>(i);
    const auto place = static_cast<uint32_t>(n & ((uint64_t{1} << k) - 1));
    result.set(i, element(uniform_unit(words.block(n >> k), place, deciding), x.at(i)));
  }
  return {std::move(result)};
}

std::vector<reference::Array> reference_bernoulli(const graph::Node& node, std::span<const reference::Array> operands) {
  const BernoulliCall call{graph::AttributeReader(node.attributes)};
  const DType dtype = operands[0].dtype;
  return by_element(operands[0], operands[1], call.draw, [&](double unit, const scalar::Constant& x) {
    const double p = call.probability
                         ? scalar::as_double(graph::constant_of(call.probability->literal, deciding_type(dtype)))
                         : scalar::as_double(x);
    return scalar::constant_int(scalar::compute_type(dtype), unit < p);
  });
}

std::vector<graph::SampleCall> sample_bernoulli() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, std::optional<double> p) {
    graph::CallAttributes attributes;
    attributes.number(graph::Number::of(7)).flag(p.has_value());
    if (p) attributes.number(graph::Number::of(*p));
    list.push_back(sample_call({sample_type(t, shape), sample_type(u64, {2})}, attributes, -0.2, 1.2));
  };
  for (const DType t : all_dtypes) add(t, {65}, 0.3);
  for (const DType t : {f16, bf16, f32, f64}) add(t, {3, 17}, std::nullopt);
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1023}}) add(f32, shape, std::nullopt);
  for (const double p : {0.0, 1.0}) add(f16, {16}, p);
  return list;
}

std::vector<graph::ValueType> infer_dropout(graph::InferContext& context) {
  check_state(context, 1);
  if (!context.operand(0).dtype.is_floating())
    context.fail(fmt::format("expected a floating dtype, got {}", context.operand(0).dtype.name()));
  return {context.operand(0)};
}

Value lower_dropout(loop::Reader& reader, std::span<const graph::Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const graph::Scalar &draw = attributes.number(), &keep = attributes.number(), &scale = attributes.number();
  const DType dtype = reader.result_type().dtype, deciding = deciding_type(dtype);
  const RandomBlock block = random_block(reader, index, draw, uniform_k(deciding));
  const Value kept = b.lt(uniform_unit(b, block, deciding), reader.number(keep, deciding));
  const Value factor = b.select(kept, reader.number(scale, deciding), b.constant(deciding, 0));
  return b.round_to(b.mul(reader.read(0, index), factor), dtype);
}

std::vector<reference::Array> reference_dropout(const graph::Node& node, std::span<const reference::Array> operands) {
  graph::AttributeReader attributes(node.attributes);
  const graph::Scalar &draw = attributes.number(), &keep = attributes.number(), &scale = attributes.number();
  const DType dtype = operands[0].dtype, compute = scalar::compute_type(dtype);
  const auto number = [&](const graph::Scalar& s) { return graph::constant_of(s.literal, compute); };
  return by_element(operands[0], operands[1], draw, [&](double unit, const scalar::Constant& x) {
    const bool kept = unit < scalar::as_double(number(keep));
    const scalar::Constant factors[] = {x, kept ? number(scale) : scalar::constant_of(compute, 0)};
    return reference::rounded(scalar::evaluate(scalar::ScalarOp::mul, factors), dtype);
  });
}

std::vector<graph::SampleCall> sample_dropout() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, double keep, double scale) {
    graph::CallAttributes attributes;
    attributes.number(graph::Number::of(5)).number(graph::Number::of(keep)).number(graph::Number::of(scale));
    list.push_back(sample_call({sample_type(t, shape), sample_type(u64, {2})}, attributes));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {3, 35}, 0.7, 1 / 0.7);
    add(t, {17}, 0, 0);
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{1023}, Dims{16, 1, 17}}) add(f16, shape, 0.5, 2);
  return list;
}

graph::OpDef masking_op(std::string_view name, std::string_view doc, std::vector<graph::Param> params) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.params = std::move(params);
  return def;
}

}  // namespace

void register_dropout() {
  using Kind = graph::ParamKind;
  graph::OpDef bernoulli = masking_op("bernoulli", "1 with a probability of its own or of the element, else 0.",
                                      {{"draw", Kind::number}, {"p", Kind::optional_number}});
  bernoulli.infer = infer_bernoulli;
  bernoulli.lower = lower_bernoulli;
  bernoulli.reference = reference_bernoulli;
  bernoulli.sample = sample_list(sample_bernoulli);
  graph::register_op(std::move(bernoulli));

  graph::OpDef dropout = masking_op("dropout", "Each element times a scale with probability keep, else times 0.",
                                    {{"draw", Kind::number}, {"keep", Kind::number}, {"scale", Kind::number}});
  dropout.infer = infer_dropout;
  dropout.lower = lower_dropout;
  dropout.reference = reference_dropout;
  dropout.sample = sample_list(sample_dropout);
  graph::register_op(std::move(dropout));
}

}  // namespace sinter::ops
