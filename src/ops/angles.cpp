// SPDX-License-Identifier: Apache-2.0
#include <sinter/pointwise.h>

#include <numbers>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"

namespace sinter {

Tensor deg2rad(Operand x) { return ops::pointwise<"deg2rad">(x); }
Tensor rad2deg(Operand x) { return ops::pointwise<"rad2deg">(x); }

}  // namespace sinter

namespace sinter::ops {
namespace {

void register_conversion(std::string_view name, std::string_view doc, double factor) {
  graph::register_op(
      pointwise_op({.name = name,
                    .doc = doc,
                    .types = gives_floating,
                    .compute = [factor](loop::Builder& b, std::span<const loop::Value> v, DType,
                                        graph::AttributeReader) { return b.mul(v[0], b.constant(v[0].type, factor)); },
                    .low = -400,
                    .high = 400}));
}

}  // namespace

void register_angles() {
  register_conversion("deg2rad", "Degrees as radians; integers and booleans give f32.", std::numbers::pi / 180);
  register_conversion("rad2deg", "Radians as degrees; integers and booleans give f32.", 180 / std::numbers::pi);
}

}  // namespace sinter::ops
