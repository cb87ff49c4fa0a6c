// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor floor(Operand x) { return ops::pointwise<"floor">(x); }
Tensor ceil(Operand x) { return ops::pointwise<"ceil">(x); }
Tensor round(Operand x) { return ops::pointwise<"round">(x); }
Tensor trunc(Operand x) { return ops::pointwise<"trunc">(x); }
Tensor frac(Operand x) { return ops::pointwise<"frac">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

void register_rounding_op(std::string_view name, std::string_view doc, Value (Builder::*method)(Value)) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .types = keeps_dtype,
                    .refuse = refuse_boolean,
                    .compute = [method](Builder& b, std::span<const Value> v, DType operating, graph::AttributeReader) {
                      return operating.is_floating() ? (b.*method)(v[0]) : v[0];
                    }}));
}

}  // namespace

void register_rounding() {
  register_rounding_op("floor", "The largest integer not above x; integers stay.", &Builder::floor);
  register_rounding_op("ceil", "The smallest integer not below x; integers stay.", &Builder::ceil);
  register_rounding_op("round", "The nearest integer, ties to even; integers stay.", &Builder::round_even);
  register_rounding_op("trunc", "x without its fraction; integers stay.", &Builder::trunc);
  graph::register_op(pointwise_op({.name = "frac",
                                   .doc = "The fraction of x, with its sign; of an infinity NaN.",
                                   .types = keeps_dtype,
                                   .refuse = refuse_integers,
                                   .compute = [](Builder& b, std::span<const Value> v, DType, graph::AttributeReader) {
                                     return b.sub(v[0], b.trunc(v[0]));
                                   }}));
}

}  // namespace sinter::ops
