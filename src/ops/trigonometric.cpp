// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor sin(Operand x) { return ops::pointwise<"sin">(x); }
Tensor cos(Operand x) { return ops::pointwise<"cos">(x); }
Tensor tan(Operand x) { return ops::pointwise<"tan">(x); }
Tensor asin(Operand x) { return ops::pointwise<"asin">(x); }
Tensor acos(Operand x) { return ops::pointwise<"acos">(x); }
Tensor atan(Operand x) { return ops::pointwise<"atan">(x); }
Tensor atan2(Operand y, Operand x) { return ops::pointwise<"atan2">(y, x); }
Tensor hypot(Operand x, Operand y) { return ops::pointwise<"hypot">(x, y); }

}  // namespace sinter

namespace sinter::ops {

using loop::Builder;
using loop::Value;

void register_trigonometric() {
  register_function("sin", "The sine of x in radians; integers and booleans give f32.", sin_value, -1000, 1000);
  register_function("cos", "The cosine of x in radians; integers and booleans give f32.", cos_value, -1000, 1000);
  register_function("tan", "The tangent of x in radians; integers and booleans give f32.", tan_value, -1000, 1000);
  register_function("asin", "The inverse sine, in [-pi/2, pi/2]; integers and booleans give f32.", asin_value, -1.2,
                    1.2);
  register_function("acos", "The inverse cosine, in [0, pi]; integers and booleans give f32.", acos_value, -1.2, 1.2);
  register_function("atan", "The inverse tangent, in [-pi/2, pi/2]; integers and booleans give f32.", atan_value, -20,
                    20);
  graph::register_op(
      pointwise_op({.name = "atan2",
                    .doc = "The angle of the point (x, y) for atan2(y, x), in [-pi, pi]; integers and "
                           "booleans give f32.",
                    .arguments = 2,
                    .types = gives_floating,
                    .compute = [](Builder& b, std::span<const Value> v, DType operating,
                                  graph::AttributeReader) { return atan2_value(b, v[0], v[1], operating); },
                    .samples_all_pairs = false}));
  graph::register_op(
      pointwise_op({.name = "hypot",
                    .doc = "sqrt(x^2 + y^2) without overflow on the way; floating dtypes.",
                    .arguments = 2,
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = [](Builder& b, std::span<const Value> v, DType operating,
                                  graph::AttributeReader) { return hypot_value(b, v[0], v[1], operating); },
                    .samples_all_pairs = false}));
}

}  // namespace sinter::ops
