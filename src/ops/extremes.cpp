// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor minimum(Operand a, Operand b) { return ops::pointwise<"minimum">(a, b); }
Tensor maximum(Operand a, Operand b) { return ops::pointwise<"maximum">(a, b); }
Tensor fmin(Operand a, Operand b) { return ops::pointwise<"fmin">(a, b); }
Tensor fmax(Operand a, Operand b) { return ops::pointwise<"fmax">(a, b); }
Tensor clamp(Operand x, Operand min, Operand max) { return ops::pointwise<"clamp">(x, min, max); }
Tensor clamp_min(Operand x, Operand min) { return ops::pointwise<"clamp_min">(x, min); }
Tensor clamp_max(Operand x, Operand max) { return ops::pointwise<"clamp_max">(x, max); }

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Builder;
using loop::Value;

Value clamp_values(Builder& b, std::span<const Value> v, DType, graph::AttributeReader) {
  return b.min(b.max(v[0], v[1]), v[2]);
}

void register_extreme(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value),
                      std::optional<Refusal> (*refuse)(std::span<const ArgumentType>, DType) = nullptr) {
  graph::register_op(pointwise_op({.name = name,
                                   .doc = doc,
                                   .arguments = 2,
                                   .number_use = NumberUse::saturated,
                                   .types = keeps_dtype,
                                   .refuse = refuse,
                                   .compute = [method](Builder& b, std::span<const Value> v, DType,
                                                       graph::AttributeReader) { return (b.*method)(v[0], v[1]); }}));
}

/// Extremes of what is not NaN.
void register_number_extreme(std::string_view name, std::string_view doc, Value (Builder::*method)(Value, Value)) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .arguments = 2,
                    .number_use = NumberUse::saturated,
                    .types = keeps_dtype,
                    .compute =
                        [method](Builder& b, std::span<const Value> v, DType operating, graph::AttributeReader) {
                          const Value extreme = (b.*method)(v[0], v[1]);
                          if (!operating.is_floating()) return extreme;
                          return b.select(b.ne(v[0], v[0]), v[1], b.select(b.ne(v[1], v[1]), v[0], extreme));
                        },
                    .samples_all_pairs = false}));
}

}  // namespace

void register_extremes() {
  register_extreme("minimum", "The smaller of two arguments; NaN in either gives NaN.", &Builder::min);
  register_extreme("maximum", "The larger of two arguments; NaN in either gives NaN.", &Builder::max);
  register_number_extreme("fmin", "The smaller of two arguments; beside NaN the other one.", &Builder::min);
  register_number_extreme("fmax", "The larger of two arguments; beside NaN the other one.", &Builder::max);
  register_extreme("clamp_min", "x, but at least the bound; NaN in either gives NaN.", &Builder::max, refuse_boolean);
  register_extreme("clamp_max", "x, but at most the bound; NaN in either gives NaN.", &Builder::min, refuse_boolean);
  graph::register_op(pointwise_op({.name = "clamp",
                                   .doc = "x limited to [min, max]; max wins where min > max, NaN anywhere gives NaN.",
                                   .arguments = 3,
                                   .number_use = NumberUse::saturated,
                                   .types = keeps_dtype,
                                   .refuse = refuse_boolean,
                                   .compute = clamp_values}));
}

}  // namespace sinter::ops
