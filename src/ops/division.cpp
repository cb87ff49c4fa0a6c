// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include <limits>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/float_bits.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor div(Operand a, Operand b, DivOptions options) {
  switch (options.rounding_mode) {
    case RoundingMode::trunc:
      return ops::pointwise<"div_trunc">(a, b);
    case RoundingMode::floor:
      return ops::pointwise<"floor_divide">(a, b);
    default:
      return ops::pointwise<"div">(a, b);
  }
}
Tensor floor_divide(Operand a, Operand b) { return ops::pointwise<"floor_divide">(a, b); }
Tensor remainder(Operand a, Operand b) { return ops::pointwise<"remainder">(a, b); }
Tensor fmod(Operand a, Operand b) { return ops::pointwise<"fmod">(a, b); }
Tensor reciprocal(Operand x) { return ops::pointwise<"reciprocal">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// Does a remainder, which has the sign of the dividend, stand on the other side of zero than the divisor?
Value has_other_sign(Builder& b, Value remainder, Value divisor) {
  const Value zero = b.constant(divisor.type, 0);
  return b.bit_and(b.ne(remainder, zero), b.ne(b.lt(remainder, zero), b.lt(divisor, zero)));
}

Value truncated_quotient(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return operating.is_floating() ? b.trunc(b.div(v[0], v[1])) : b.idiv(v[0], v[1]);
}

Value truncated_remainder(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return operating.is_floating() ? b.fmod(v[0], v[1]) : b.irem(v[0], v[1]);
}

/// The remainder of floored division has the sign of the divisor. That of a division by zero stays the dividend.
Value floored_remainder(Builder& b, Values v, DType operating, graph::AttributeReader rest) {
  const Value remainder = truncated_remainder(b, v, operating, rest);
  if (operating.is_integer() && !operating.is_signed()) return remainder;
  return b.select(has_other_sign(b, remainder, v[1]), b.add(remainder, v[1]), remainder);
}

Value floored_integers(Builder& b, Value x, Value y, DType operating) {
  const Value quotient = b.idiv(x, y);
  if (!operating.is_signed()) return quotient;
  const Value remainder = b.sub(x, b.mul(quotient, y));
  const Value below = b.bit_and(has_other_sign(b, remainder, y), b.ne(y, b.constant(y.type, 0)));
  return b.select(below, b.sub(quotient, b.constant(x.type, 1)), quotient);
}

/// Python's and PyTorch's: from the remainder, so that quotient and remainder belong together, also where x / y rounds
/// up to a whole number.
Value floored_floats(Builder& b, Value x, Value y) {
  const Value zero = b.constant(x.type, 0), one = b.constant(x.type, 1);
  const Value simple = b.div(x, y), remainder = b.fmod(x, y);
  Value whole = b.div(b.sub(x, remainder), y);
  whole = b.select(has_other_sign(b, remainder, y), b.sub(whole, one), whole);
  Value floor = b.floor(whole);
  floor = b.select(b.gt(b.sub(whole, floor), b.constant(x.type, 0.5)), b.add(floor, one), floor);
  floor = b.select(b.ne(whole, zero), floor, with_sign_of(b, zero, simple));
  return b.select(b.eq(y, zero), simple, floor);
}

Value floored_quotient(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return operating.is_floating() ? floored_floats(b, v[0], v[1]) : floored_integers(b, v[0], v[1], operating);
}

using Arithmetic = Value(Builder&, Values, DType, graph::AttributeReader);

void register_division_op(std::string_view name, std::string_view doc, Arithmetic* compute) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = compute,
                                   .samples_all_pairs = false}));
}

}  // namespace

void register_division() {
  register_division_op("div_trunc", "The quotient without its fraction; of an integer by 0 all bits are set.",
                       truncated_quotient);
  register_division_op("floor_divide", "The quotient rounded down; of an integer by 0 all bits are set.",
                       floored_quotient);
  register_division_op("fmod", "The remainder with the sign of a; of an integer by 0 it is a.", truncated_remainder);
  register_division_op("remainder", "The remainder with the sign of b; of an integer by 0 it is a.", floored_remainder);
  graph::register_op(pointwise_op(
      {.name = "reciprocal",
       .doc = "1 / x; integers and booleans are divided in f32.",
       .types = gives_floating,
       .compute = [](Builder& b, Values v, DType,
                     graph::AttributeReader) { return b.div(b.constant(v[0].type, 1), v[0]); },
       .approximate = [](Builder& b, Values v, DType operating,
                         graph::AttributeReader) { return reciprocal_approx_value(b, v[0], operating); }}));
}

}  // namespace sinter::ops
