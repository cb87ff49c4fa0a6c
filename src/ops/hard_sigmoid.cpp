// SPDX-License-Identifier: Apache-2.0
#include <sinter/activations.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor hardsigmoid(Operand x) { return ops::pointwise<"hardsigmoid">(x); }
Tensor hardswish(Operand x) { return ops::pointwise<"hardswish">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// x + 3 limited to [0, 6].
Value ramp(Builder& b, Value x) {
  const DType t = x.type;
  return b.min(b.max(b.add(x, b.constant(t, 3)), b.constant(t, 0)), b.constant(t, 6));
}

}  // namespace

void register_hard_sigmoid() {
  graph::register_op(pointwise_op({.name = "hardsigmoid",
                                   .doc = "x + 3 limited to [0, 6], divided by 6.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = [](Builder& b, Values v, DType, graph::AttributeReader) {
                                     return b.div(ramp(b, v[0]), b.constant(v[0].type, 6));
                                   }}));
  graph::register_op(pointwise_op({.name = "hardswish",
                                   .doc = "x times x + 3 limited to [0, 6], divided by 6.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = [](Builder& b, Values v, DType, graph::AttributeReader) {
                                     return b.div(b.mul(v[0], ramp(b, v[0])), b.constant(v[0].type, 6));
                                   }}));
}

}  // namespace sinter::ops
