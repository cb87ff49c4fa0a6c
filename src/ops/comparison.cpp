// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor eq(Operand a, Operand b) { return ops::pointwise<"eq">(a, b); }
Tensor ne(Operand a, Operand b) { return ops::pointwise<"ne">(a, b); }
Tensor lt(Operand a, Operand b) { return ops::pointwise<"lt">(a, b); }
Tensor le(Operand a, Operand b) { return ops::pointwise<"le">(a, b); }
Tensor gt(Operand a, Operand b) { return ops::pointwise<"gt">(a, b); }
Tensor ge(Operand a, Operand b) { return ops::pointwise<"ge">(a, b); }
Tensor operator==(Operand a, Operand b) { return ops::pointwise<"eq">(a, b); }
Tensor operator!=(Operand a, Operand b) { return ops::pointwise<"ne">(a, b); }
Tensor operator<(Operand a, Operand b) { return ops::pointwise<"lt">(a, b); }
Tensor operator<=(Operand a, Operand b) { return ops::pointwise<"le">(a, b); }
Tensor operator>(Operand a, Operand b) { return ops::pointwise<"gt">(a, b); }
Tensor operator>=(Operand a, Operand b) { return ops::pointwise<"ge">(a, b); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

void register_comparison_op(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value)) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .number_use = NumberUse::rounded,
                                   .types = gives_boolean,
                                   .compute = [method](Builder& b, std::span<const Value> v, DType,
                                                       graph::AttributeReader) { return (b.*method)(v[0], v[1]); }}));
}

}  // namespace

void register_comparison() {
  register_comparison_op("eq", "Are the arguments equal? NaN equals nothing.", &Builder::eq);
  register_comparison_op("ne", "Do the arguments differ? NaN differs from everything.", &Builder::ne);
  register_comparison_op("lt", "Is a < b?", &Builder::lt);
  register_comparison_op("le", "Is a <= b?", &Builder::le);
  register_comparison_op("gt", "Is a > b?", &Builder::gt);
  register_comparison_op("ge", "Is a >= b?", &Builder::ge);
}

}  // namespace sinter::ops
