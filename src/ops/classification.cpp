// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include <limits>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter::ops {
namespace {

double largest(DType t) {
  if (t == f16) return 65504;
  if (t == bf16) return 0x1.fep127;
  return t == f64 ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
}

/// Both defaults are limits of the dtype, which every call of the recorded trace has.
graph::CallAttributes replacements(const Operand& x, const NanToNumOptions& options) {
  const double limit = x.is_tensor() && x.tensor().defined() ? largest(x.tensor().dtype()) : 0;
  graph::CallAttributes attributes;
  for (const double n : {options.nan, options.posinf.value_or(limit), options.neginf.value_or(-limit)})
    attributes.number(graph::Number::of(n));
  return attributes;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor isnan(Operand x) { return ops::pointwise<"isnan">(x); }
Tensor isinf(Operand x) { return ops::pointwise<"isinf">(x); }
Tensor isfinite(Operand x) { return ops::pointwise<"isfinite">(x); }
Tensor isposinf(Operand x) { return ops::pointwise<"isposinf">(x); }
Tensor isneginf(Operand x) { return ops::pointwise<"isneginf">(x); }
Tensor nan_to_num(Operand x, NanToNumOptions options) {
  return ops::dispatch(ops::op<"nan_to_num">(), {&x}, ops::replacements(x, options));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;
using Values = std::span<const Value>;

constexpr double inf = std::numeric_limits<double>::infinity();

/// A test of floats; integers and booleans are all finite.
void register_test(std::string_view name, std::string_view doc, Value (*test)(Builder&, Value), bool of_integers) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .types = gives_boolean,
                    .compute = [test, of_integers](Builder& b, Values v, DType operating, graph::AttributeReader) {
                      return operating.is_floating() ? test(b, v[0]) : b.boolean(of_integers);
                    }}));
}

/// Values: x, and what stands for NaN, +inf and -inf.
Value replaced(Builder& b, Values v, DType operating, graph::AttributeReader) {
  const Value x = v[0];
  if (!operating.is_floating()) return x;
  const Value finite =
      b.select(b.eq(x, b.constant(x.type, inf)), v[2], b.select(b.eq(x, b.constant(x.type, -inf)), v[3], x));
  return b.select(b.ne(x, x), v[1], finite);
}

}  // namespace

void register_classification() {
  register_test("isnan", "Is x NaN?", [](Builder& b, Value x) { return b.ne(x, x); }, false);
  register_test(
      "isinf", "Is x an infinity?", [](Builder& b, Value x) { return b.eq(b.abs(x), b.constant(x.type, inf)); }, false);
  register_test(
      "isfinite", "Is x neither NaN nor an infinity?",
      [](Builder& b, Value x) { return b.lt(b.abs(x), b.constant(x.type, inf)); }, true);
  register_test(
      "isposinf", "Is x positive infinity?", [](Builder& b, Value x) { return b.eq(x, b.constant(x.type, inf)); },
      false);
  register_test(
      "isneginf", "Is x negative infinity?", [](Builder& b, Value x) { return b.eq(x, b.constant(x.type, -inf)); },
      false);
  graph::register_op(pointwise_op({.name = "nan_to_num",
                                   .doc = "x with numbers in place of NaN and the infinities; integers stay.",
                                   .constants = {"nan", "posinf", "neginf"},
                                   .types = keeps_dtype,
                                   .compute = replaced,
                                   .forms = {constants_form({0, 100.5, -7}), constants_form({-0.0, inf, -65504})}}));
}

}  // namespace sinter::ops
