// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/integer_power.h"
#include "src/ops/pointwise.h"
#include "src/ops/samples.h"
#include "src/ops/transcendental.h"

namespace sinter::ops {
namespace {

/// What a number as exponent selects. Structural: each form is other code.
enum class PowerForm : uint8_t { general, negative, zero, one, two, three, minus_one, minus_two, half, minus_half };

PowerForm form_of(const graph::Number& exponent) {
  constexpr std::pair<double, PowerForm> special[] = {
      {0, PowerForm::zero},       {1, PowerForm::one},        {2, PowerForm::two},    {3, PowerForm::three},
      {-1, PowerForm::minus_one}, {-2, PowerForm::minus_two}, {0.5, PowerForm::half}, {-0.5, PowerForm::minus_half}};
  const double value = exponent.as_double();
  for (const auto& [v, form] : special)
    if (v == value) return form;
  return value < 0 ? PowerForm::negative : PowerForm::general;
}

graph::CallAttributes power_attributes(graph::CallAttributes numbers, const std::optional<graph::Number>& exponent) {
  return numbers.enumeration(exponent ? form_of(*exponent) : PowerForm::general);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor pow(Operand base, Operand exponent) {
  std::optional<graph::Number> number;
  if (!exponent.is_tensor()) number = ops::number_of(exponent);
  return ops::dispatch(ops::op<"pow">(), {&base, &exponent},
                       ops::power_attributes(ops::number_attributes({&base, &exponent}), number));
}

Tensor square(Operand x) {
  const Operand two(2);
  const auto attributes = ops::power_attributes(ops::number_attributes({&x, &two}), ops::number_of(two));
  return ops::dispatch(ops::op<"pow">(), {&x}, attributes);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

Value special_power(Builder& b, Value x, PowerForm form, DType operating) {
  const Value one = b.constant(x.type, 1);
  switch (form) {
    case PowerForm::zero:
      return one;
    case PowerForm::one:
      return x;
    case PowerForm::two:
      return b.mul(x, x);
    case PowerForm::three:
      return b.mul(b.mul(x, x), x);
    case PowerForm::minus_one:
      return b.div(one, x);
    case PowerForm::minus_two:
      return b.div(one, b.mul(x, x));
    case PowerForm::half:
      return b.sqrt(x);
    default:
      return rsqrt_value(b, x, operating);
  }
}

Value power_values(Builder& b, std::span<const Value> v, DType operating, graph::AttributeReader rest) {
  const auto form = rest.enumeration<PowerForm>();
  if (form != PowerForm::general && form != PowerForm::negative) return special_power(b, v[0], form, operating);
  return operating.is_floating() ? pow_value(b, v[0], v[1], operating) : integer_power(b, v[0], v[1], operating);
}

Value power_approx_values(Builder& b, std::span<const Value> v, DType operating, graph::AttributeReader rest) {
  const graph::AttributeReader again = rest;
  if (!operating.is_floating()) return power_values(b, v, operating, again);
  switch (rest.enumeration<PowerForm>()) {
    case PowerForm::general:
    case PowerForm::negative:
      return pow_approx_value(b, v[0], v[1], operating);
    case PowerForm::minus_one:
      return reciprocal_approx_value(b, v[0], operating);
    case PowerForm::minus_two:
      return reciprocal_approx_value(b, b.mul(v[0], v[0]), operating);
    case PowerForm::minus_half:
      return rsqrt_approx_value(b, v[0], operating);
    default:
      return power_values(b, v, operating, again);
  }
}

/// Integers have no negative powers; with a tensor as exponent they give 0, or 1 and -1 for the bases 1 and -1.
std::vector<graph::ValueType> refuse_negative_powers(graph::InferContext& context,
                                                     std::vector<graph::ValueType> results) {
  graph::AttributeReader attributes = context.attributes();
  read_arguments(attributes, 2);
  const auto form = attributes.enumeration<PowerForm>();
  const bool negative = form == PowerForm::negative || form == PowerForm::minus_one || form == PowerForm::minus_two;
  if (negative && !results[0].dtype.is_floating())
    context.fail("integers have no negative powers", "give the exponent as a floating number, or cast with to(t, f32)");
  const bool root = form == PowerForm::half || form == PowerForm::minus_half;
  if (root && !results[0].dtype.is_floating()) context.fail("integers have no roots", "cast with to(t, f32)");
  return results;
}

graph::SampleCall sample_with_number(DType dtype, const Dims& shape, graph::Number n, bool is_exponent) {
  graph::CallAttributes numbers;
  if (is_exponent)
    numbers.flag(false).flag(true).number(n);
  else
    numbers.flag(true).number(n).flag(false);
  const std::optional<graph::Number> exponent = is_exponent ? std::optional(n) : std::nullopt;
  return sample_call({sample_type(dtype, shape)}, power_attributes(numbers, exponent), is_exponent ? -8 : 0, 8);
}

std::vector<graph::SampleCall> sample_power() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto both = power_attributes(graph::CallAttributes().flag(false).flag(false), std::nullopt);
  for (const DType t : all_dtypes) {
    if (!t.is_boolean()) list.push_back(sample_call({sample_type(t, {17}), sample_type(t, {17})}, both, -4, 4));
    for (const Number n : {Number::of(0), Number::of(1), Number::of(2), Number::of(3), Number::of(7), Number::of(0.5),
                           Number::of(-0.5), Number::of(-1.0), Number::of(-2.0), Number::of(-1.7), Number::of(2.5)})
      list.push_back(sample_with_number(t, {17}, n, true));
    if (t.is_floating())
      for (const Number n : {Number::of(-1), Number::of(-3)}) list.push_back(sample_with_number(t, {7}, n, true));
    for (const Number n : {Number::of(2), Number::of(0.3)}) list.push_back(sample_with_number(t, {16}, n, false));
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{1023}})
    list.push_back(sample_call({sample_type(f32, shape), sample_type(f16, {1})}, both, 0, 4));
  list.push_back(sample_call({sample_type(i32, {3, 1}), sample_type(f32, {16})}, both, -4, 4));
  return list;
}

}  // namespace

void register_power() {
  graph::OpDef def = pointwise_op({.name = "pow",
                                   .doc = "base to the power of exponent; integers with integer exponents wrap.",
                                   .arguments = 2,
                                   .params = {{"form",
                                               graph::ParamKind::enumeration,
                                               {"general", "negative", "zero", "one", "two", "three", "minus_one",
                                                "minus_two", "half", "minus_half"}}},
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = power_values,
                                   .approximate = power_approx_values});
  def.infer = [infer = std::move(def.infer)](graph::InferContext& context) {
    return refuse_negative_powers(context, infer(context));
  };
  def.sample = sample_list(sample_power);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
