// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/number_range.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor lerp(Operand start, Operand end, Operand weight) { return ops::pointwise<"lerp">(start, end, weight); }
Tensor addcmul(Operand x, Operand a, Operand b, Operand value) {
  ops::require_number(value, "addcmul");
  return ops::dispatch(ops::op<"addcmul">(), {&x, &a, &b},
                       ops::number_attributes({&x, &a, &b}).number(ops::number_of(value)));
}
Tensor addcdiv(Operand x, Operand a, Operand b, Operand value) {
  ops::require_number(value, "addcdiv");
  return ops::dispatch(ops::op<"addcdiv">(), {&x, &a, &b},
                       ops::number_attributes({&x, &a, &b}).number(ops::number_of(value)));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// From the nearer end, so that both ends are met exactly.
Value lerp_values(Builder& b, Values v, DType, graph::AttributeReader) {
  const DType t = v[0].type;
  const Value start = v[0], end = v[1], weight = v[2];
  const Value near_start = b.lt(b.abs(weight), b.constant(t, 0.5));
  const Value part = b.select(near_start, weight, b.sub(weight, b.constant(t, 1)));
  return b.fma(part, b.sub(end, start), b.select(near_start, start, end));
}

/// PyTorch's kernels round the last product and the sum together.
Value addcmul_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  const Value scaled = b.mul(v[3], v[1]);
  return operating.is_floating() ? b.fma(scaled, v[2], v[0]) : b.add(v[0], b.mul(scaled, v[2]));
}

}  // namespace

void register_combination() {
  graph::register_op(pointwise_op({.name = "lerp",
                                   .doc = "start + weight * (end - start), exact at both ends; one floating dtype.",
                                   .arguments = 3,
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers_and_mixed,
                                   .compute = lerp_values,
                                   .samples_all_pairs = false}));
  graph::register_op(pointwise_op({.name = "addcmul",
                                   .doc = "x + value * a * b, rounded once for f16 and bf16; integers wrap.",
                                   .arguments = 3,
                                   .constants = {"value"},
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = addcmul_values,
                                   .samples_all_pairs = false,
                                   .forms = {constants_form({1}), constants_form({-0.7})}}));
  graph::register_op(
      pointwise_op({.name = "addcdiv",
                    .doc = "x + value * a / b, rounded once for f16 and bf16; floating dtypes.",
                    .arguments = 3,
                    .constants = {"value"},
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = [](Builder& b, Values v, DType,
                                  graph::AttributeReader) { return b.add(v[0], b.div(b.mul(v[3], v[1]), v[2])); },
                    .samples_all_pairs = false,
                    .forms = {constants_form({1}), constants_form({-0.7})}}));
}

}  // namespace sinter::ops
