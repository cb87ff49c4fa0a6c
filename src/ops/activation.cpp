// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor relu(Operand x) { return ops::pointwise<"relu">(x); }
Tensor sigmoid(Operand x) { return ops::pointwise<"sigmoid">(x); }
Tensor silu(Operand x) { return ops::pointwise<"silu">(x); }
Tensor gelu(Operand x, GeluOptions options) {
  return ops::dispatch(ops::op<"gelu">(), {&x}, graph::CallAttributes().enumeration(options.approximate));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). The f32 tanh also for halves: 1 + tanh cancels for negative x.
Value gelu_by_tanh(Builder& b, Value x, DType operating) {
  const DType t = x.type;
  const Value cube = b.mul(b.mul(x, x), x);
  const Value inner = b.mul(b.constant(t, 0.79788456080286535588), b.add(x, b.mul(b.constant(t, 0.044715), cube)));
  const Value tanh = tanh_value(b, inner, operating == f64 ? f64 : f32);
  return b.mul(b.mul(b.constant(t, 0.5), x), b.add(b.constant(t, 1), tanh));
}

/// The same as x sigmoid(2 inner), in which nothing cancels.
Value gelu_by_tanh_approx(Builder& b, Value x, DType operating) {
  if (operating == f64) return gelu_by_tanh(b, x, f64);
  const Value cube = b.mul(b.mul(x, x), x);
  const Value inner = b.mul(b.f32(2 * 0.79788456080286535588f), b.add(x, b.mul(b.f32(0.044715f), cube)));
  return b.mul(x, sigmoid_approx_value(b, inner, operating));
}

Value gelu_values(Builder& b, Values v, DType operating, graph::AttributeReader rest) {
  if (rest.enumeration<Approximate>() == Approximate::tanh) return gelu_by_tanh(b, v[0], operating);
  return gelu_value(b, v[0], operating);
}

Value gelu_approx_values(Builder& b, Values v, DType operating, graph::AttributeReader rest) {
  if (rest.enumeration<Approximate>() == Approximate::tanh) return gelu_by_tanh_approx(b, v[0], operating);
  return gelu_approx_value(b, v[0], operating);
}

graph::Attributes gelu_form(Approximate approximate) {
  return graph::literal_attributes(graph::CallAttributes().enumeration(approximate));
}

}  // namespace

void register_activation() {
  graph::register_op(pointwise_op({.name = "relu",
                                   .doc = "max(x, 0); NaN stays.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = [](Builder& b, Values v, DType, graph::AttributeReader) {
                                     return b.max(v[0], b.constant(v[0].type, 0));
                                   }}));
  graph::register_op(
      pointwise_op({.name = "sigmoid",
                    .doc = "1 / (1 + exp(-x)); integers and booleans give f32.",
                    .types = gives_floating,
                    .compute = [](Builder& b, Values v, DType operating,
                                  graph::AttributeReader) { return sigmoid_value(b, v[0], operating); },
                    .approximate = [](Builder& b, Values v, DType operating,
                                      graph::AttributeReader) { return sigmoid_approx_value(b, v[0], operating); },
                    .low = -12,
                    .high = 12}));
  graph::register_op(pointwise_op(
      {.name = "silu",
       .doc = "x * sigmoid(x), rounded once.",
       .types = keeps_dtype,
       .refuse = refuse_integers,
       .compute = [](Builder& b, Values v, DType operating,
                     graph::AttributeReader) { return b.mul(v[0], sigmoid_value(b, v[0], operating)); },
       .approximate = [](Builder& b, Values v, DType operating,
                         graph::AttributeReader) { return b.mul(v[0], sigmoid_approx_value(b, v[0], operating)); },
       .low = -12,
       .high = 12}));
  graph::register_op(pointwise_op({.name = "gelu",
                                   .doc = "x times the normal distribution function of x, or its tanh approximation.",
                                   .params = {{"approximate", graph::ParamKind::enumeration, {"none", "tanh"}}},
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = gelu_values,
                                   .approximate = gelu_approx_values,
                                   .low = -8,
                                   .high = 8,
                                   .forms = {gelu_form(Approximate::none), gelu_form(Approximate::tanh)}}));
}

}  // namespace sinter::ops
