// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor logical_not(Operand x) { return ops::pointwise<"logical_not">(x); }
Tensor logical_and(Operand a, Operand b) { return ops::pointwise<"logical_and">(a, b); }
Tensor logical_or(Operand a, Operand b) { return ops::pointwise<"logical_or">(a, b); }
Tensor logical_xor(Operand a, Operand b) { return ops::pointwise<"logical_xor">(a, b); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

void register_logic_op(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value)) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .types = of_truth_values,
                                   .compute = [method](Builder& b, std::span<const Value> v, DType,
                                                       graph::AttributeReader) { return (b.*method)(v[0], v[1]); },
                                   .low = -1,
                                   .high = 1}));
}

}  // namespace

void register_logic() {
  graph::register_op(pointwise_op({.name = "logical_not",
                                   .doc = "Is x zero?",
                                   .types = of_truth_values,
                                   .compute = unary_value<&Builder::bit_not>,
                                   .low = -1,
                                   .high = 1}));
  register_logic_op("logical_and", "Are both arguments different from zero?", &Builder::bit_and);
  register_logic_op("logical_or", "Is an argument different from zero?", &Builder::bit_or);
  register_logic_op("logical_xor", "Is exactly one argument different from zero?", &Builder::bit_xor);
}

}  // namespace sinter::ops
