// SPDX-License-Identifier: Apache-2.0
#include <sinter/activations.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/refusals.h"
#include "src/ops/transcendental.h"

namespace sinter::ops {
namespace {

Tensor elu_of(Operand& x, double alpha, double scale, double input_scale) {
  graph::CallAttributes attributes;
  for (const double n : {alpha, scale, input_scale}) attributes.number(graph::Number::of(n));
  return dispatch(op<"elu">(), {&x}, attributes);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor elu(Operand x, EluOptions options) { return ops::elu_of(x, options.alpha, 1, 1); }
Tensor celu(Operand x, EluOptions options) {
  if (options.alpha == 0) ops::refuse("celu", x.line(), "alpha is 0", "give another number; relu is the limit");
  return ops::elu_of(x, options.alpha, 1, 1 / options.alpha);
}
Tensor selu(Operand x) {
  // The constants of Klambauer et al., Self-Normalizing Neural Networks, as PyTorch has them.
  return ops::elu_of(x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// Values: x, alpha, scale, input_scale. NaN stays.
Value elu_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  const Value exponential = expm1_value(b, b.mul(v[0], v[3]), operating);
  const Value negative = b.mul(exponential, b.mul(v[1], v[2]));
  return b.select(b.lt(v[0], b.constant(v[0].type, 0)), negative, b.mul(v[0], v[2]));
}

}  // namespace

void register_elu() {
  graph::register_op(
      pointwise_op({.name = "elu",
                    .doc = "scale * x where x >= 0, otherwise scale * alpha * (exp(input_scale * x) - 1).",
                    .constants = {"alpha", "scale", "input_scale"},
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = elu_values,
                    .low = -12,
                    .high = 4,
                    .forms = {constants_form({1, 1, 1}), constants_form({0.7, 1, 1 / 0.7}),
                              constants_form({1.6732632423543772848, 1.0507009873554804934, 1})}}));
}

}  // namespace sinter::ops
