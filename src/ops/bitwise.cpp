// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/bitwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor bitwise_not(Operand x) { return ops::pointwise<"bitwise_not">(x); }
Tensor bitwise_and(Operand a, Operand b) { return ops::pointwise<"bitwise_and">(a, b); }
Tensor bitwise_or(Operand a, Operand b) { return ops::pointwise<"bitwise_or">(a, b); }
Tensor bitwise_xor(Operand a, Operand b) { return ops::pointwise<"bitwise_xor">(a, b); }
Tensor bitwise_left_shift(Operand x, Operand count) { return ops::pointwise<"bitwise_left_shift">(x, count); }
Tensor bitwise_right_shift(Operand x, Operand count) { return ops::pointwise<"bitwise_right_shift">(x, count); }
Tensor operator~(Operand x) { return ops::pointwise<"bitwise_not">(x); }
Tensor operator&(Operand a, Operand b) { return ops::pointwise<"bitwise_and">(a, b); }
Tensor operator|(Operand a, Operand b) { return ops::pointwise<"bitwise_or">(a, b); }
Tensor operator^(Operand a, Operand b) { return ops::pointwise<"bitwise_xor">(a, b); }
Tensor operator<<(Operand x, Operand count) { return ops::pointwise<"bitwise_left_shift">(x, count); }
Tensor operator>>(Operand x, Operand count) { return ops::pointwise<"bitwise_right_shift">(x, count); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

std::optional<Refusal> refuse_all_but_integers(std::span<const ArgumentType>, DType common) {
  if (common.is_integer()) return std::nullopt;
  return Refusal{fmt::format("expected an integer dtype, got {}", common.name()), "cast with to(t, i32)"};
}

void register_bitwise_op(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value)) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .types = keeps_dtype,
                                   .refuse = refuse_floats,
                                   .compute = [method](Builder& b, std::span<const Value> v, DType,
                                                       graph::AttributeReader) { return (b.*method)(v[0], v[1]); },
                                   .samples_all_pairs = false}));
}

void register_shift(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value)) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .last_number_use = NumberUse::shift,
                                   .types = keeps_dtype,
                                   .refuse = refuse_all_but_integers,
                                   .compute = [method](Builder& b, std::span<const Value> v, DType,
                                                       graph::AttributeReader) { return (b.*method)(v[0], v[1]); },
                                   .low = -9,
                                   .high = 40,
                                   .samples_all_pairs = false}));
}

}  // namespace

void register_bitwise() {
  graph::register_op(pointwise_op({.name = "bitwise_not",
                                   .doc = "Every bit inverted; of booleans the logical not.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_floats,
                                   .compute = unary_value<&Builder::bit_not>}));
  register_bitwise_op("bitwise_and", "The bits set in both arguments.", &Builder::bit_and);
  register_bitwise_op("bitwise_or", "The bits set in an argument.", &Builder::bit_or);
  register_bitwise_op("bitwise_xor", "The bits set in exactly one argument.", &Builder::bit_xor);
  register_shift("bitwise_left_shift", "x shifted left by a count of bits; a negative or too large count gives 0.",
                 &Builder::shl);
  register_shift("bitwise_right_shift",
                 "x shifted right by a count of bits; a negative or too large count gives 0, of negative x -1.",
                 &Builder::shr);
}

}  // namespace sinter::ops
