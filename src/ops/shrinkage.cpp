// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/activations.h>

#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/refusals.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor hardshrink(Operand x, ShrinkOptions options) {
  return ops::dispatch(ops::op<"hardshrink">(), {&x}, graph::CallAttributes().number(graph::Number::of(options.lambd)));
}
Tensor softshrink(Operand x, ShrinkOptions options) {
  if (!(options.lambd >= 0))
    ops::refuse("softshrink", x.line(),
                fmt::format("lambd {} is {}", options.lambd, options.lambd < 0 ? "negative" : "no number"),
                "give 0 or more");
  return ops::dispatch(ops::op<"softshrink">(), {&x}, graph::CallAttributes().number(graph::Number::of(options.lambd)));
}
Tensor tanhshrink(Operand x) { return ops::pointwise<"tanhshrink">(x); }
Tensor softsign(Operand x) { return ops::pointwise<"softsign">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

Value hardshrink_values(Builder& b, Values v, DType, graph::AttributeReader) {
  return b.select(b.le(b.abs(v[0]), v[1]), b.constant(v[0].type, 0), v[0]);
}

/// Inside of the limits the zero has the sign of x; NaN stays.
Value softshrink_values(Builder& b, Values v, DType, graph::AttributeReader) {
  const Value x = v[0], lambd = v[1];
  const Value inside = b.mul(x, b.constant(x.type, 0));
  const Value below = b.select(b.lt(x, b.neg(lambd)), b.add(x, lambd), inside);
  return b.select(b.gt(x, lambd), b.sub(x, lambd), below);
}

/// By the f32 tanh also for halves: the difference cancels for small x.
Value tanhshrink_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return b.sub(v[0], tanh_value(b, v[0], operating == f64 ? f64 : f32));
}

/// PyTorch forms |x| + 1 in the dtype of x, where it wraps.
Value softsign_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  const Value magnitude = b.add(b.abs(v[0]), b.constant(v[0].type, 1));
  if (operating.is_floating()) return b.div(v[0], magnitude);
  return b.div(convert_value(b, v[0], operating, f32),
               convert_value(b, b.round_to(magnitude, operating), operating, f32));
}

}  // namespace

void register_shrinkage() {
  graph::register_op(pointwise_op({.name = "hardshrink",
                                   .doc = "x, but 0 in [-lambd, lambd].",
                                   .constants = {"lambd"},
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = hardshrink_values,
                                   .forms = {constants_form({0.5}), constants_form({-1})}}));
  graph::register_op(pointwise_op({.name = "softshrink",
                                   .doc = "x moved towards 0 by lambd, but 0 in [-lambd, lambd].",
                                   .constants = {"lambd"},
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = softshrink_values,
                                   .forms = {constants_form({0.5}), constants_form({1.7})}}));
  graph::register_op(pointwise_op({.name = "tanhshrink",
                                   .doc = "x - tanh(x), rounded once for f16 and bf16; integers give f32.",
                                   .types = gives_floating,
                                   .refuse = refuse_boolean,
                                   .compute = tanhshrink_values}));
  graph::register_op(pointwise_op({.name = "softsign",
                                   .doc = "x / (|x| + 1), rounded once for f16 and bf16; integers give f32.",
                                   .types = quotient_is_floating,
                                   .refuse = refuse_boolean,
                                   .compute = softsign_values}));
}

}  // namespace sinter::ops
