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
#include "src/ops/random_unit.h"
#include "src/ops/transcendental.h"
#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"

namespace sinter {

Tensor randn(const Dims& shape, DType dtype, Device device, SourceLine line) {
  const ops::Draw draw = ops::next_draw(device, "randn", line);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).extents(shape).dtype(dtype).flag(false).flag(false);
  return ops::dispatch_draw(ops::op<"random_normal">(), draw, attributes, line);
}

Tensor normal(Operand mean, Operand std, const Dims& shape, DType dtype, Device device) {
  for (const Operand* o : {&mean, &std}) ops::require_number(*o, "normal");
  const graph::Number center = ops::number_of(mean), deviation = ops::number_of(std);
  if (!(deviation.as_double() >= 0))
    ops::refuse("normal", mean.line(), fmt::format("expected std >= 0, got {}", deviation.as_double()), {});
  const ops::Draw draw = ops::next_draw(device, "normal", mean.line());
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).extents(shape).dtype(dtype);
  attributes.flag(true).number(center).flag(true).number(deviation);
  return ops::dispatch_draw(ops::op<"random_normal">(), draw, attributes, mean.line());
}

Tensor randn_like(Operand x, std::optional<DType> dtype) {
  const ops::Draw draw = ops::next_draw(ops::require_tensor(x, "randn_like").device(), "randn_like", x.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).flag(dtype.has_value()).dtype(dtype.value_or(f32));
  return ops::dispatch(ops::op<"randn_like">(), {&x, &state}, attributes.flag(false).flag(false));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

/// mean and std of a call, as far as given.
struct Moments {
  bool given = false;
  graph::Scalar mean{graph::Number::of(0), -1, {}, false}, std{graph::Number::of(1), -1, {}, false};

  explicit Moments(graph::AttributeReader& attributes) {
    for (graph::Scalar* moment : {&mean, &std}) {
      if (!attributes.flag()) continue;
      *moment = attributes.number();
      given = true;
    }
  }
};

void check_normal(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) {
  if (!dtype.is_floating()) context.fail(fmt::format("expected a floating dtype, got {}", dtype.name()));
  const Moments moments(rest);
  if (moments.std.symbol < 0 && !(moments.std.literal.as_double() >= 0))
    context.fail(fmt::format("expected std >= 0, got {}", moments.std.literal.as_double()));
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
  if (const Moments moments(rest); moments.given)
    v = b.fma(v, reader.number(moments.std, v.type), reader.number(moments.mean, v.type));
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
T scaled(T v, const Moments& moments) {
  const auto number = [](const graph::Scalar& s) {
    return static_cast<T>(scalar::as_double(graph::constant_of(s.literal, dtype_of<T>())));
  };
  return moments.given ? std::fma(v, number(moments.std), number(moments.mean)) : v;
}

scalar::Constant reference_normal(const PhiloxWords& words, uint32_t place, DType dtype, graph::AttributeReader rest) {
  const Moments moments(rest);
  const double v = dtype == f64 ? scaled(reference_normal64(words, place), moments)
                                : static_cast<double>(scaled(reference_normal32(words, place), moments));
  return reference::rounded(scalar::constant_of(scalar::compute_type(dtype), v), dtype);
}

std::vector<graph::SampleCall> sample_normal() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto begin = [](int64_t draw, const Dims& shape, DType dtype) {
    return graph::CallAttributes().number(Number::of(draw)).extents(shape).dtype(dtype);
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    list.push_back(random_sample(begin(3, {1023}, t).flag(false).flag(false)));
    list.push_back(
        random_sample(begin(-1, {3, 17}, t).flag(true).number(Number::of(-2)).flag(true).number(Number::of(0.1))));
    list.push_back(random_sample(begin(1, {5}, t).flag(true).number(Number::of(1)).flag(true).number(Number::of(0))));
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{16, 1, 17}, Dims{65537}})
    list.push_back(random_sample(begin(int64_t{1} << 40, shape, f32).flag(false).flag(false)));
  return list;
}

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
