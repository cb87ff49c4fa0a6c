// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/random.h>

#include <cmath>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/number_range.h"
#include "src/ops/random_op.h"
#include "src/ops/random_unit.h"

namespace sinter::ops {
namespace {

/// Why [low, high) is no range of numbers of the dtype; empty if it is one.
std::string refused_bounds(double low, double high, DType dtype) {
  const auto finite = [&](double v) {
    const scalar::Constant c = scalar::constant_of(scalar::compute_type(dtype), v);
    return std::isfinite(scalar::as_double(reference::rounded(c, dtype)));
  };
  if (!(low <= high)) return fmt::format("expected low <= high, got {} and {}", low, high);
  if (finite(low) && finite(high) && finite(high - low)) return {};
  return fmt::format("{} and {} are too far apart for {}", low, high, dtype.name());
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor rand(const Dims& shape, DType dtype, Device device, SourceLine line) {
  const ops::Draw draw = ops::next_draw(device, "rand", line);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).extents(shape).dtype(dtype).flag(false).flag(false);
  return ops::dispatch_draw(ops::op<"random_uniform">(), draw, attributes, line);
}

Tensor uniform(Operand low, Operand high, const Dims& shape, DType dtype, Device device) {
  for (const Operand* o : {&low, &high}) ops::require_number(*o, "uniform");
  const graph::Number from = ops::number_of(low), to = ops::number_of(high);
  if (dtype.is_floating())
    if (std::string why = ops::refused_bounds(from.as_double(), to.as_double(), dtype); !why.empty())
      ops::refuse("uniform", low.line(), std::move(why), "give finite bounds in order");
  const ops::Draw draw = ops::next_draw(device, "uniform", low.line());
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).extents(shape).dtype(dtype);
  attributes.flag(true).number(from).flag(true).number(to);
  return ops::dispatch_draw(ops::op<"random_uniform">(), draw, attributes, low.line());
}

Tensor rand_like(Operand x, std::optional<DType> dtype) {
  const ops::Draw draw = ops::next_draw(ops::require_tensor(x, "rand_like").device(), "rand_like", x.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).flag(dtype.has_value()).dtype(dtype.value_or(f32));
  return ops::dispatch(ops::op<"rand_like">(), {&x, &state}, attributes.flag(false).flag(false));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

/// The bounds of a call, as far as given.
struct Bounds {
  bool given = false;
  graph::Scalar low{graph::Number::of(0), -1, {}, false}, high{graph::Number::of(1), -1, {}, false};

  explicit Bounds(graph::AttributeReader& attributes) {
    for (graph::Scalar* bound : {&low, &high}) {
      if (!attributes.flag()) continue;
      *bound = attributes.number();
      given = true;
    }
  }
};

void check_uniform(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) {
  if (!dtype.is_floating())
    context.fail(fmt::format("expected a floating dtype, got {}", dtype.name()),
                 "randint() draws integers, bernoulli() truth values");
  const Bounds bounds(rest);
  if (bounds.low.symbol >= 0 || bounds.high.symbol >= 0) return;
  std::string why = refused_bounds(bounds.low.literal.as_double(), bounds.high.literal.as_double(), dtype);
  if (!why.empty()) context.fail(std::move(why));
}

Value uniform_value(loop::Reader& reader, const RandomBlock& block, DType dtype, graph::AttributeReader rest) {
  loop::Builder& b = reader.builder();
  const Value unit = uniform_unit(b, block, dtype);
  const Bounds bounds(rest);
  if (!bounds.given) return unit;
  const Value low = reader.number(bounds.low, unit.type), high = reader.number(bounds.high, unit.type);
  const Value v = b.round_to(b.fma(unit, b.sub(high, low), low), dtype);
  return b.select(b.lt(v, b.round_to(high, dtype)), v, b.round_to(low, dtype));
}

template <class T>
scalar::Constant uniform_as(double unit, DType dtype, const Bounds& bounds) {
  const DType compute = dtype_of<T>();
  const auto number = [&](const graph::Scalar& s) {
    return static_cast<T>(scalar::as_double(graph::constant_of(s.literal, compute)));
  };
  const auto element = [&](T v) { return reference::rounded(scalar::constant_of(compute, v), dtype); };
  const T low = number(bounds.low), high = number(bounds.high);
  const scalar::Constant v = element(std::fma(static_cast<T>(unit), high - low, low));
  return scalar::as_double(v) < scalar::as_double(element(high)) ? v : element(low);
}

scalar::Constant reference_uniform(const PhiloxWords& words, uint32_t place, DType dtype, graph::AttributeReader rest) {
  const double unit = uniform_unit(words, place, dtype);
  const Bounds bounds(rest);
  if (!bounds.given) return scalar::constant_of(scalar::compute_type(dtype), unit);
  return dtype == f64 ? uniform_as<double>(unit, dtype, bounds) : uniform_as<float>(unit, dtype, bounds);
}

std::vector<graph::SampleCall> sample_uniform() {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto begin = [](int64_t draw, const Dims& shape, DType dtype) {
    return graph::CallAttributes().number(Number::of(draw)).extents(shape).dtype(dtype);
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    list.push_back(random_sample(begin(3, {1023}, t).flag(false).flag(false)));
    list.push_back(
        random_sample(begin(-1, {3, 17}, t).flag(true).number(Number::of(-2)).flag(true).number(Number::of(1.7))));
    list.push_back(
        random_sample(begin(5, {7}, t).flag(true).number(Number::of(0.3)).flag(true).number(Number::of(0.3))));
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{16, 1, 17}, Dims{2, 0, 3}, Dims{65537}})
    list.push_back(random_sample(begin(int64_t{1} << 40, shape, f32).flag(false).flag(false)));
  return list;
}

}  // namespace

void register_random_uniform() {
  using Kind = graph::ParamKind;
  register_random({.name = "random_uniform",
                   .doc = "Uniform random numbers in [low, high), [0, 1) unless given.",
                   .like_name = "rand_like",
                   .like_doc = "Uniform random numbers of the shape and, unless given, dtype of the operand.",
                   .params = {{"low", Kind::optional_number}, {"high", Kind::optional_number}},
                   .check = check_uniform,
                   .k = uniform_k,
                   .element = uniform_value,
                   .reference = reference_uniform,
                   .samples = sample_uniform});
}

}  // namespace sinter::ops
