// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/float_bits.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor sign(Operand x) { return ops::pointwise<"sign">(x); }
Tensor signbit(Operand x) { return ops::pointwise<"signbit">(x); }
Tensor copysign(Operand magnitude, Operand sign) { return ops::pointwise<"copysign">(magnitude, sign); }
Tensor nextafter(Operand x, Operand towards) { return ops::pointwise<"nextafter">(x, towards); }
Tensor heaviside(Operand x, Operand at_zero) { return ops::pointwise<"heaviside">(x, at_zero); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

Value sign_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  if (operating.is_boolean()) return v[0];
  const Value zero = b.constant(v[0].type, 0), one = b.constant(v[0].type, 1);
  if (operating.is_integer() && !operating.is_signed()) return b.min(v[0], one);
  const Value negative = b.select(b.lt(v[0], zero), b.constant(v[0].type, -1), zero);
  return b.select(b.gt(v[0], zero), one, negative);
}

Value signbit_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  if (operating.is_floating()) return sign_bit(b, v[0]);
  return operating.is_boolean() ? b.boolean(false) : b.lt(v[0], b.constant(v[0].type, 0));
}

/// x > 0 as 1 or 0, but for zeros; so NaN gives 0.
Value heaviside_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  if (operating.is_boolean()) return b.bit_or(v[0], v[1]);
  const Value zero = b.constant(v[0].type, 0), one = b.constant(v[0].type, 1);
  return b.select(b.eq(v[0], zero), v[1], b.select(b.gt(v[0], zero), one, zero));
}

}  // namespace

void register_sign() {
  graph::register_op(pointwise_op({.name = "sign",
                                   .doc = "1, 0 or -1 as x is positive, zero or negative; of NaN 0, of booleans x.",
                                   .types = keeps_dtype,
                                   .compute = sign_values}));
  graph::register_op(pointwise_op({.name = "signbit",
                                   .doc = "Is the sign bit set? It is in -0; NaN counts as positive.",
                                   .types = gives_boolean,
                                   .compute = signbit_values}));
  graph::register_op(pointwise_op(
      {.name = "copysign",
       .doc = "The magnitude of a with the sign of b, of which NaN is positive; integers and booleans give f32.",
       .arguments = 2,
       .types = gives_floating,
       .compute = [](Builder& b, Values v, DType, graph::AttributeReader) { return with_sign_of(b, v[0], v[1]); },
       .samples_all_pairs = false}));
  graph::register_op(
      pointwise_op({.name = "nextafter",
                    .doc = "The next value of the dtype from x towards another; that one itself if they are equal.",
                    .arguments = 2,
                    .number_use = NumberUse::rounded,
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = [](Builder& b, Values v, DType operating,
                                  graph::AttributeReader) { return next_after(b, v[0], v[1], operating); },
                    .samples_all_pairs = false}));
  graph::register_op(pointwise_op({.name = "heaviside",
                                   .doc = "0 where x is negative, 1 where it is positive, the second argument at 0.",
                                   .arguments = 2,
                                   .number_use = NumberUse::rounded,
                                   .types = keeps_dtype,
                                   .refuse = refuse_mixed,
                                   .compute = heaviside_values,
                                   .samples_all_pairs = false}));
}

}  // namespace sinter::ops
