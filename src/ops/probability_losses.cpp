// SPDX-License-Identifier: Apache-2.0
// Losses of probabilities and their logarithms.
#include <sinter/losses.h>

#include <algorithm>
#include <cmath>

#include "src/ops/element_loss.h"
#include "src/ops/families.h"
#include "src/ops/refusals.h"
#include "src/ops/row_reference.h"
#include "src/ops/transcendental.h"

namespace sinter::ops {
namespace {

/// Flags say which of weight and pos_weight are operands.
graph::CallAttributes weighted(Reduction reduction, bool weight, bool pos_weight) {
  return graph::CallAttributes().enumeration(reduction).flag(weight).flag(pos_weight);
}

Tensor weighted_call(const graph::OpDef& op, Operand& x, Operand& target, const BinaryCrossEntropyOptions& options) {
  const bool weight = options.weight.defined(), pos_weight = options.pos_weight.defined();
  const auto attributes = weighted(options.reduction, weight, pos_weight);
  Operand w(options.weight, x.line().file, x.line().line), p(options.pos_weight, x.line().file, x.line().line);
  if (weight && pos_weight) return dispatch(op, {&x, &target, &w, &p}, attributes);
  if (weight || pos_weight) return dispatch(op, {&x, &target, weight ? &w : &p}, attributes);
  return dispatch(op, {&x, &target}, attributes);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor binary_cross_entropy(Operand x, Operand target, const BinaryCrossEntropyOptions& options) {
  if (options.pos_weight.defined())
    ops::refuse("binary_cross_entropy", x.line(), "a pos_weight, which only logits take",
                "give a weight, or logits to binary_cross_entropy_with_logits");
  return ops::weighted_call(ops::op<"binary_cross_entropy">(), x, target, options);
}
Tensor binary_cross_entropy_with_logits(Operand x, Operand target, const BinaryCrossEntropyOptions& options) {
  return ops::weighted_call(ops::op<"binary_cross_entropy_with_logits">(), x, target, options);
}
Tensor kl_div(Operand x, Operand target, KlDivOptions options) {
  return ops::dispatch(ops::op<"kl_div">(), {&x, &target},
                       graph::CallAttributes().enumeration(options.reduction).flag(options.log_target));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::AttributeReader;
using graph::Value;
using Values = std::span<const Value>;

size_t weighted_operands(AttributeReader rest) {
  const size_t weight = rest.flag() ? 1 : 0;
  return 2 + weight + (rest.flag() ? 1 : 0);
}

/// (target - 1) * max(log1p(-x), -100) - target * max(log(x), -100)
Value compose_bce(Composer& c, Values v, AttributeReader rest) {
  const Value no = c.clamp_min(c.unary<"log1p">(c.unary<"neg">(v[0])), -100);
  const Value yes = c.clamp_min(c.unary<"log">(v[0]), -100);
  const Value loss = c.binary<"sub">(c.binary<"mul">(c.binary<"sub">(v[1], 1.0), no), c.binary<"mul">(v[1], yes));
  return rest.flag() ? c.binary<"mul">(loss, v[2]) : loss;
}

/// The larger of a logarithm and -100; NaN stays.
template <class T>
T bounded(T v) {
  return v < T{-100} ? T{-100} : v;
}

template <class T>
T bce(std::span<const T> v, AttributeReader rest) {
  const T no = bounded(apply(log1p_value, -v[0])), yes = bounded(apply(log_value, v[0]));
  const T loss = (v[1] - 1) * no - v[1] * yes;
  return rest.flag() ? loss * v[2] : loss;
}

Value compose_logits(Composer& c, Values v, AttributeReader rest) {
  const bool weight = rest.flag(), pos_weight = rest.flag();
  Value positive = c.unary<"log_sigmoid">(v[0]);
  if (pos_weight) {
    const Value more = c.binary<"mul">(c.binary<"sub">(v.back(), 1.0), v[1]);
    positive = c.binary<"mul">(c.binary<"add">(more, 1.0), positive);
  }
  const Value loss =
      c.binary<"sub">(c.binary<"mul">(c.binary<"sub">(c.literal(graph::Number::of(1)), v[1]), v[0]), positive);
  return weight ? c.binary<"mul">(loss, v[2]) : loss;
}

template <class T>
T logits(std::span<const T> v, AttributeReader rest) {
  const bool weight = rest.flag(), pos_weight = rest.flag();
  T positive = apply(log_sigmoid_value, v[0]);
  if (pos_weight) positive = ((v.back() - 1) * v[1] + 1) * positive;
  const T loss = (1 - v[1]) * v[0] - positive;
  return weight ? loss * v[2] : loss;
}

Value compose_kl(Composer& c, Values v, AttributeReader rest) {
  const Value x = v[0], target = v[1];
  if (rest.flag()) return c.binary<"mul">(c.unary<"exp">(target), c.binary<"sub">(target, x));
  const Value own = c.binary<"mul">(target, c.unary<"log">(target));
  const Value finite = c.where(c.binary<"eq">(target, 0.0), graph::Number::of(0.0), own);
  return c.binary<"sub">(finite, c.binary<"mul">(target, x));
}

template <class T>
T kl(std::span<const T> v, AttributeReader rest) {
  const T x = v[0], target = v[1];
  if (rest.flag()) return apply(exp_value, target) * (target - x);
  return (target == 0 ? T{0} : target * apply(log_value, target)) - target * x;
}

}  // namespace

void register_probability_losses() {
  const auto form = [](bool a, bool b) { return graph::CallAttributes().flag(a).flag(b); };
  const std::vector<graph::Param> weights{{"weight", graph::ParamKind::flag}, {"pos_weight", graph::ParamKind::flag}};
  register_element_loss({.name = "binary_cross_entropy",
                         .doc = "-(target * log(x) + (1 - target) * log(1 - x)), logarithms not below -100.",
                         .most_operands = 3,
                         .operands = weighted_operands,
                         .params = weights,
                         .compose = compose_bce,
                         .of_floats = bce,
                         .of_doubles = bce,
                         .forms = {{form(false, false), 2}, {form(true, false), 3}},
                         .low = 0,
                         .high = 1});
  register_element_loss({.name = "binary_cross_entropy_with_logits",
                         .doc = "binary_cross_entropy of sigmoid(x), accurate for every x.",
                         .most_operands = 4,
                         .operands = weighted_operands,
                         .params = weights,
                         .compose = compose_logits,
                         .of_floats = logits,
                         .of_doubles = logits,
                         .forms = {{form(false, false), 2}, {form(false, true), 3}, {form(true, true), 4}}});
  register_element_loss({.name = "kl_div",
                         .doc = "target * (log(target) - x), x and perhaps target being logarithms.",
                         .params = {{"log_target", graph::ParamKind::flag}},
                         .has_batch_mean = true,
                         .compose = compose_kl,
                         .of_floats = kl,
                         .of_doubles = kl,
                         .forms = {{graph::CallAttributes().flag(false), 2}, {graph::CallAttributes().flag(true), 2}},
                         .low = 0,
                         .high = 1});
}

}  // namespace sinter::ops
