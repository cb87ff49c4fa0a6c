// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/random.h>

#include <cmath>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/number_range.h"
#include "src/ops/random_op.h"
#include "src/ops/random_pair.h"
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
  return ops::draw(ops::op<"random_uniform">(), "rand", shape, dtype, device, line);
}

Tensor uniform(Operand low, Operand high, const Dims& shape, DType dtype, Device device) {
  for (const Operand* o : {&low, &high}) ops::require_number(*o, "uniform");
  const graph::Number from = ops::number_of(low), to = ops::number_of(high);
  if (dtype.is_floating())
    if (std::string why = ops::refused_bounds(from.as_double(), to.as_double(), dtype); !why.empty())
      ops::refuse("uniform", low.line(), std::move(why), "give finite bounds in order");
  return ops::draw_between(ops::op<"random_uniform">(), "uniform", from, to, shape, dtype, device, low.line());
}

Tensor rand_like(Operand x, std::optional<DType> dtype) {
  return ops::draw_like(ops::op<"rand_like">(), "rand_like", x, dtype);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

void check_uniform(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) {
  if (!dtype.is_floating())
    context.fail(fmt::format("expected a floating dtype, got {}", dtype.name()),
                 "randint() draws integers, bernoulli() truth values");
  const NumberPair bounds(rest);
  if (bounds.first.symbol >= 0 || bounds.second.symbol >= 0) return;
  std::string why = refused_bounds(bounds.first.literal.as_double(), bounds.second.literal.as_double(), dtype);
  if (!why.empty()) context.fail(std::move(why));
}

Value uniform_value(loop::Reader& reader, const RandomBlock& block, DType dtype, graph::AttributeReader rest) {
  loop::Builder& b = reader.builder();
  const Value unit = uniform_unit(b, block, dtype);
  const NumberPair bounds(rest);
  if (!bounds.given) return unit;
  const Value low = reader.number(bounds.first, unit.type), high = reader.number(bounds.second, unit.type);
  const Value v = b.round_to(b.fma(unit, b.sub(high, low), low), dtype);
  return b.select(b.lt(v, b.round_to(high, dtype)), v, b.round_to(low, dtype));
}

template <class T>
scalar::Constant uniform_as(double unit, DType dtype, const NumberPair& bounds) {
  const DType compute = dtype_of<T>();
  const auto element = [&](T v) { return reference::rounded(scalar::constant_of(compute, v), dtype); };
  const T low = literal_as<T>(bounds.first), high = literal_as<T>(bounds.second);
  const scalar::Constant v = element(std::fma(static_cast<T>(unit), high - low, low));
  return scalar::as_double(v) < scalar::as_double(element(high)) ? v : element(low);
}

scalar::Constant reference_uniform(const PhiloxWords& words, uint32_t place, DType dtype, graph::AttributeReader rest) {
  const double unit = uniform_unit(words, place, dtype);
  const NumberPair bounds(rest);
  if (!bounds.given) return scalar::constant_of(scalar::compute_type(dtype), unit);
  return dtype == f64 ? uniform_as<double>(unit, dtype, bounds) : uniform_as<float>(unit, dtype, bounds);
}

std::vector<graph::SampleCall> sample_uniform() { return pair_samples({{{-2, 1.7}, {0.3, 0.3}}}); }

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
