// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor logit(Operand x, LogitOptions options) {
  return ops::dispatch(ops::op<"logit">(), {&x},
                       graph::CallAttributes().number(graph::Number::of(options.eps.value_or(-1))));
}
Tensor softplus(Operand x, SoftplusOptions options) {
  return ops::dispatch(
      ops::op<"softplus">(), {&x},
      graph::CallAttributes().number(graph::Number::of(options.beta)).number(graph::Number::of(options.threshold)));
}
Tensor log_sigmoid(Operand x) { return ops::pointwise<"log_sigmoid">(x); }
Tensor mish(Operand x) { return ops::pointwise<"mish">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

/// x limited to [eps, 1 - eps], or x itself where eps is negative. NaN stays.
Value limit_for_logit(Builder& b, Value x, Value eps) {
  const Value high = b.sub(b.constant(x.type, 1), eps);
  const Value limited = b.select(b.lt(x, eps), eps, b.select(b.gt(x, high), high, x));
  return b.select(b.lt(eps, b.constant(x.type, 0)), x, limited);
}

Value logit_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  return logit_value(b, limit_for_logit(b, v[0], v[1]), operating);
}

Value softplus_values(Builder& b, Values v, DType operating, graph::AttributeReader) {
  const Value x = v[0], beta = v[1], threshold = v[2];
  const Value scaled = b.mul(x, beta);
  return b.select(b.gt(scaled, threshold), x, b.div(softplus_value(b, scaled, operating), beta));
}

/// A function that, like the activations of PyTorch, takes floating dtypes.
void register_of_floats(std::string_view name, std::string_view doc, Value (*function)(Builder&, Value, DType)) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = [function](Builder& b, Values v, DType operating,
                                          graph::AttributeReader) { return function(b, v[0], operating); },
                    .low = -25,
                    .high = 25}));
}

}  // namespace

void register_logistic() {
  graph::register_op(pointwise_op({.name = "logit",
                                   .doc = "log(x / (1 - x)) of x limited to [eps, 1 - eps] unless eps is negative; "
                                          "integers and booleans give f32.",
                                   .constants = {"eps"},
                                   .types = gives_floating,
                                   .compute = logit_values,
                                   .low = -0.1,
                                   .high = 1.1,
                                   .forms = {constants_form({-1}), constants_form({0.125})}}));
  graph::register_op(
      pointwise_op({.name = "softplus",
                    .doc = "log(1 + exp(beta x)) / beta, and x where beta x is above the threshold.",
                    .constants = {"beta", "threshold"},
                    .types = keeps_dtype,
                    .refuse = refuse_integers,
                    .compute = softplus_values,
                    .low = -25,
                    .high = 25,
                    .forms = {constants_form({1, 20}), constants_form({0.3, 4}), constants_form({-2, 5})}}));
  register_of_floats("log_sigmoid", "log(sigmoid(x)).", log_sigmoid_value);
  register_of_floats("mish", "x tanh(log(1 + exp(x))), rounded once.", mish_value);
}

}  // namespace sinter::ops
