// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor exp(Operand x) { return ops::pointwise<"exp">(x); }
Tensor log(Operand x) { return ops::pointwise<"log">(x); }
Tensor sqrt(Operand x) { return ops::pointwise<"sqrt">(x); }
Tensor rsqrt(Operand x) { return ops::pointwise<"rsqrt">(x); }
Tensor tanh(Operand x) { return ops::pointwise<"tanh">(x); }
Tensor erf(Operand x) { return ops::pointwise<"erf">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

void register_function(std::string_view name, std::string_view doc, Value (*function)(Builder&, Value, DType),
                       double low, double high) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .types = gives_floating,
                    .compute = [function](Builder& b, std::span<const Value> v, DType operating,
                                          graph::AttributeReader) { return function(b, v[0], operating); },
                    .low = low,
                    .high = high}));
}

}  // namespace

void register_exponential() {
  register_function("exp", "e to the power of x; integers and booleans give f32.", exp_value, -20, 12);
  register_function("log", "The natural logarithm; integers and booleans give f32.", log_value, -1, 50);
  register_function(
      "sqrt", "The square root, correctly rounded; integers and booleans give f32.",
      [](Builder& b, Value x, DType) { return b.sqrt(x); }, -1, 50);
  register_function("rsqrt", "One over the square root; integers and booleans give f32.", rsqrt_value, -1, 50);
  register_function("tanh", "The hyperbolic tangent; integers and booleans give f32.", tanh_value, -10, 10);
  register_function("erf", "The error function; integers and booleans give f32.", erf_value, -5, 5);
}

}  // namespace sinter::ops
