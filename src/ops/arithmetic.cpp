// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor add(Operand a, Operand b) { return ops::pointwise<"add">(a, b); }
Tensor sub(Operand a, Operand b) { return ops::pointwise<"sub">(a, b); }
Tensor mul(Operand a, Operand b) { return ops::pointwise<"mul">(a, b); }
Tensor neg(Operand x) { return ops::pointwise<"neg">(x); }
Tensor abs(Operand x) { return ops::pointwise<"abs">(x); }
Tensor operator+(Operand a, Operand b) { return ops::pointwise<"add">(a, b); }
Tensor operator-(Operand a, Operand b) { return ops::pointwise<"sub">(a, b); }
Tensor operator*(Operand a, Operand b) { return ops::pointwise<"mul">(a, b); }
Tensor operator/(Operand a, Operand b) { return ops::pointwise<"div">(a, b); }
Tensor operator-(Operand x) { return ops::pointwise<"neg">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// true + true is true, and true * false is false.
Value add_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return operating.is_boolean() ? b.bit_or(v[0], v[1]) : b.add(v[0], v[1]);
}
Value mul_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return operating.is_boolean() ? b.bit_and(v[0], v[1]) : b.mul(v[0], v[1]);
}

/// Unlike the other ops, sub looks at each argument: an integer tensor minus `true` is refused too.
std::optional<Refusal> refuse_any_boolean(std::span<const ArgumentType> arguments, DType) {
  for (const ArgumentType& a : arguments)
    if (a.dtype.is_boolean())
      return Refusal{"boolean cannot be subtracted", "use logical_xor, or logical_not to invert a mask"};
  return std::nullopt;
}

}  // namespace

void register_arithmetic() {
  graph::register_op(pointwise_op({.name = "add",
                                   .doc = "Sum of two arguments; integers wrap, of booleans it is the logical or.",
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .compute = add_values}));
  graph::register_op(pointwise_op({.name = "sub",
                                   .doc = "Difference of two arguments; integers wrap, booleans are refused.",
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .refuse = refuse_any_boolean,
                                   .compute = binary_value<&Builder::sub>}));
  graph::register_op(pointwise_op({.name = "mul",
                                   .doc = "Product of two arguments; integers wrap, of booleans it is the logical and.",
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .compute = mul_values}));
  graph::register_op(pointwise_op({.name = "div",
                                   .doc = "True quotient of two arguments; integers and booleans are divided in f32.",
                                   .arguments = 2,
                                   .types = gives_floating,
                                   .compute = binary_value<&Builder::div>,
                                   .approximate = [](Builder& b, Values v, DType operating, graph::AttributeReader) {
                                     return quotient_approx_value(b, v[0], v[1], operating);
                                   }}));
  graph::register_op(pointwise_op({.name = "neg",
                                   .doc = "The negative; integers wrap.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = unary_value<&Builder::neg>}));
  graph::register_op(pointwise_op({.name = "abs",
                                   .doc = "The absolute value; that of the smallest signed integer is itself.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = unary_value<&Builder::abs>}));
}

}  // namespace sinter::ops
