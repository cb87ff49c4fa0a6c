// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/random.h>

#include <cmath>
#include <numbers>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/number_range.h"
#include "src/ops/random_op.h"
#include "src/ops/random_pair.h"
#include "src/ops/random_unit.h"
#include "src/ops/transcendental.h"
#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"

namespace sinter {

Tensor randn(const Dims& shape, DType dtype, Device device, SourceLine line) {
  return ops::draw(ops::op<"random_normal">(), "randn", shape, dtype, device, line);
}

Tensor normal(Operand mean, Operand std, const Dims& shape, DType dtype, Device device) {
  for (const Operand* o : {&mean, &std}) ops::require_number(*o, "normal");
  const graph::Number center = ops::number_of(mean), deviation = ops::number_of(std);
  if (!(deviation.as_double() >= 0))
    ops::refuse("normal", mean.line(), fmt::format("expected std >= 0, got {}", deviation.as_double()), {});
  return ops::draw_between(ops::op<"random_normal">(), "normal", center, deviation, shape, dtype, device, mean.line());
}

Tensor randn_like(Operand x, std::optional<DType> dtype) {
  return ops::draw_like(ops::op<"randn_like">(), "randn_like", x, dtype);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

void check_normal(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) {
  if (!dtype.is_floating()) context.fail(fmt::format("expected a floating dtype, got {}", dtype.name()));
  const NumberPair moments(rest);
  if (moments.second.symbol < 0 && !(moments.second.literal.as_double() >= 0))
    context.fail(fmt::format("expected std >= 0, got {}", moments.second.literal.as_double()));
}

// Two elements share the radius sqrt(-2 log u) and an angle of w turns: cos and sin, which is the cosine a quarter turn
// before, exact in the integer w. u is in (0, 1]: the middle of the interval that its word stands for.

constexpr float turn32 = static_cast<float>(2 * std::numbers::pi * 0x1p-32);
constexpr double turn53 = 2 * std::numbers::pi * 0x1p-53;

Value normal32(loop::Builder& b, const RandomBlock& block) {
  const auto& w = block.words;
  const Value radius_word = chosen(b, block, 2, w[2], w[0]), turns = chosen(b, block, 2, w[3], w[1]);
  const Value u = b.fma(b.convert(radius_word, f32), b.f32(0x1p-32f), b.f32(0x1p-33f));
  const Value radius = b.sqrt(b.mul(log_value(b, u, f32), b.f32(-2)));
  const Value turned = b.sub(turns, chosen(b, block, 1, b.u32(1u << 30), b.u32(0)));
  const Value angle = b.mul(b.convert(b.bitcast(turned, i32), f32), b.f32(turn32));
  return b.mul(radius, cos_value(b, angle, f32));
}

Value normal64(loop::Builder& b, const RandomBlock& block) {
  const auto& w = block.words;
  const Value eleven = b.constant(u64, 11);
  const Value whole = b.convert(b.shr(joined(b, w[0], w[1]), eleven), f64);
  const Value u = b.mul(b.add(whole, b.f64(0.5)), b.f64(0x1p-53));
  const Value radius = b.sqrt(b.mul(log_value(b, u, f64), b.f64(-2)));
  const Value quarter = chosen(b, block, 1, b.constant(u64, 0x1p62), b.constant(u64, 0));
  const Value turned = b.bitcast(b.sub(joined(b, w[2], w[3]), quarter), i64);
  const Value angle = b.mul(b.convert(b.shr(turned, b.i64(11)), f64), b.f64(turn53));
  return b.mul(radius, cos_value(b, angle, f64));
}

Value normal_value(loop::Reader& reader, const RandomBlock& block, DType dtype, graph::AttributeReader rest) {
  loop::Builder& b = reader.builder();
  Value v = dtype == f64 ? normal64(b, block) : normal32(b, block);
  if (const NumberPair moments(rest); moments.given)
    v = b.fma(v, reader.number(moments.second, v.type), reader.number(moments.first, v.type));
  return b.round_to(v, dtype);
}

float reference_normal32(const PhiloxWords& w, uint32_t place) {
  scalar::math::HostBuilder b;
  const uint32_t first = place & 2u;
  const float u = std::fma(static_cast<float>(w[first]), 0x1p-32f, 0x1p-33f);
  const float radius = std::sqrt(scalar::math::log_f32(b, b.f32(u)).f32 * -2.0f);
  const auto turned = static_cast<int32_t>(w[first + 1] - ((place & 1u) << 30));
  return radius * scalar::math::cos_f32(b, b.f32(static_cast<float>(turned) * turn32)).f32;
}

double reference_normal64(const PhiloxWords& w, uint32_t place) {
  const double u = (static_cast<double>(random_word64(w, 0) >> 11) + 0.5) * 0x1p-53;
  const auto turned = static_cast<int64_t>(random_word64(w, 1) - (uint64_t{place} << 62));
  return std::sqrt(std::log(u) * -2.0) * std::cos(static_cast<double>(turned >> 11) * turn53);
}

template <class T>
T scaled(T v, const NumberPair& moments) {
  return moments.given ? std::fma(v, literal_as<T>(moments.second), literal_as<T>(moments.first)) : v;
}

scalar::Constant reference_normal(const PhiloxWords& words, uint32_t place, DType dtype, graph::AttributeReader rest) {
  const NumberPair moments(rest);
  const double v = dtype == f64 ? scaled(reference_normal64(words, place), moments)
                                : static_cast<double>(scaled(reference_normal32(words, place), moments));
  return reference::rounded(scalar::constant_of(scalar::compute_type(dtype), v), dtype);
}

std::vector<graph::SampleCall> sample_normal() { return pair_samples({{{-2, 0.1}, {1, 0}}}); }

}  // namespace

void register_random_normal() {
  using Kind = graph::ParamKind;
  register_random({.name = "random_normal",
                   .doc = "Normal random numbers of a mean and a standard deviation, 0 and 1 unless given.",
                   .like_name = "randn_like",
                   .like_doc = "Normal random numbers of the shape and, unless given, dtype of the operand.",
                   .params = {{"mean", Kind::optional_number}, {"std", Kind::optional_number}},
                   .check = check_normal,
                   .k = uniform_k,
                   .element = normal_value,
                   .reference = reference_normal,
                   .samples = sample_normal});
}

}  // namespace sinter::ops
