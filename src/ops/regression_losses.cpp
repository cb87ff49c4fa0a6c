// SPDX-License-Identifier: Apache-2.0
// Losses of the distance between two numbers.
#include <fmt/format.h>

#include <cmath>

#include "src/ops/element_loss.h"
#include "src/ops/families.h"
#include "src/ops/refusals.h"

namespace sinter::ops {
namespace {

/// Half of a threshold is a number of its own, so that promotion changes no bit.
graph::CallAttributes threshold_attributes(double at, graph::CallAttributes first = {}) {
  return first.number(graph::Number::of(at)).number(graph::Number::of(at / 2));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor mse_loss(Operand x, Operand target, LossOptions options) {
  return ops::dispatch(ops::op<"mse_loss">(), {&x, &target}, graph::CallAttributes().enumeration(options.reduction));
}
Tensor l1_loss(Operand x, Operand target, LossOptions options) {
  return ops::dispatch(ops::op<"l1_loss">(), {&x, &target}, graph::CallAttributes().enumeration(options.reduction));
}
Tensor smooth_l1_loss(Operand x, Operand target, SmoothL1Options options) {
  if (!(options.beta >= 0))
    ops::refuse("smooth_l1_loss", x.line(), fmt::format("beta {} is negative", options.beta), "give 0 or more");
  const auto reduction = graph::CallAttributes().enumeration(options.reduction);
  return ops::dispatch(ops::op<"smooth_l1_loss">(), {&x, &target}, ops::threshold_attributes(options.beta, reduction));
}
Tensor huber_loss(Operand x, Operand target, HuberOptions options) {
  if (!(options.delta > 0))
    ops::refuse("huber_loss", x.line(), fmt::format("delta {} is not positive", options.delta), "give more than 0");
  const auto reduction = graph::CallAttributes().enumeration(options.reduction);
  return ops::dispatch(ops::op<"huber_loss">(), {&x, &target}, ops::threshold_attributes(options.delta, reduction));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::AttributeReader;
using graph::Value;
using Values = std::span<const Value>;

Value compose_mse(Composer& c, Values v, AttributeReader) { return c.square(c.binary<"sub">(v[0], v[1])); }

template <class T>
T mse(std::span<const T> v, AttributeReader) {
  return (v[0] - v[1]) * (v[0] - v[1]);
}

Value compose_l1(Composer& c, Values v, AttributeReader) { return c.unary<"abs">(c.binary<"sub">(v[0], v[1])); }

template <class T>
T l1(std::span<const T> v, AttributeReader) {
  return std::fabs(v[0] - v[1]);
}

struct Threshold {
  const graph::Scalar &at, &half;
};

Threshold read_threshold(AttributeReader& rest) {
  const graph::Scalar& at = rest.number();
  return {at, rest.number()};
}

/// d * d / (2 * beta) below beta, else d - beta / 2
Value compose_smooth_l1(Composer& c, Values v, AttributeReader rest) {
  const auto [beta, half] = read_threshold(rest);
  const Value d = c.unary<"abs">(c.binary<"sub">(v[0], v[1]));
  const Value square = c.binary<"mul">(c.binary<"mul">(d, 0.5), d);
  return c.where(c.binary<"lt">(d, beta), c.binary<"div">(square, beta), c.binary<"sub">(d, half));
}

template <class T>
T smooth_l1(std::span<const T> v, AttributeReader rest) {
  const auto [at, half] = read_threshold(rest);
  const T d = std::fabs(v[0] - v[1]), beta = static_cast<T>(at.literal.as_double());
  return d < beta ? T{0.5} * d * d / beta : d - static_cast<T>(half.literal.as_double());
}

/// d * d / 2 up to delta, else delta * (d - delta / 2)
Value compose_huber(Composer& c, Values v, AttributeReader rest) {
  const auto [delta, half] = read_threshold(rest);
  const Value d = c.unary<"abs">(c.binary<"sub">(v[0], v[1]));
  const Value square = c.binary<"mul">(c.binary<"mul">(d, 0.5), d);
  return c.where(c.binary<"le">(d, delta), square, c.binary<"mul">(c.binary<"sub">(d, half), delta));
}

template <class T>
T huber(std::span<const T> v, AttributeReader rest) {
  const auto [at, half] = read_threshold(rest);
  const T d = std::fabs(v[0] - v[1]), delta = static_cast<T>(at.literal.as_double());
  return d <= delta ? T{0.5} * d * d : delta * (d - static_cast<T>(half.literal.as_double()));
}

}  // namespace

void register_regression_losses() {
  const std::vector<graph::Param> threshold{{"threshold", graph::ParamKind::number},
                                            {"half_threshold", graph::ParamKind::number}};
  register_element_loss({.name = "mse_loss",
                         .doc = "(x - target)^2 of all elements, or their mean or sum.",
                         .compose = compose_mse,
                         .of_floats = mse,
                         .of_doubles = mse});
  register_element_loss({.name = "l1_loss",
                         .doc = "|x - target| of all elements, or their mean or sum.",
                         .compose = compose_l1,
                         .of_floats = l1,
                         .of_doubles = l1});
  register_element_loss({.name = "smooth_l1_loss",
                         .doc = "l1_loss, rounded off below a threshold.",
                         .params = threshold,
                         .compose = compose_smooth_l1,
                         .of_floats = smooth_l1,
                         .of_doubles = smooth_l1,
                         .forms = {{threshold_attributes(1), 2}, {threshold_attributes(0), 2}}});
  register_element_loss({.name = "huber_loss",
                         .doc = "Half of mse_loss up to a threshold, then growing like l1_loss.",
                         .params = threshold,
                         .compose = compose_huber,
                         .of_floats = huber,
                         .of_doubles = huber,
                         .forms = {{threshold_attributes(0.7), 2}}});
}

}  // namespace sinter::ops
