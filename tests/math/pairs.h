// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"
#include "tests/math/oracle.h"

// Functions of two arguments, and pairs on which they are measured.

namespace sinter::math_test {

struct Function2 {
  const char* name;
  float (*evaluate)(float a, float b, int definition);  ///< definitions in the order of formats()
  double (*exact)(double a, double b);
  double bounds[3];  ///< largest errors measured over 10^9 pairs, rounded up
};

#define SINTER_EVALUATE(name)                                                                                  \
  [](float a, float c, int definition) {                                                                       \
    scalar::math::HostBuilder b;                                                                               \
    const scalar::math::HostValue first(a), second(c);                                                         \
    if (definition == 0) return scalar::math::name##_f32(b, first, second).f32;                                \
    return scalar::math::name##_half(b, first, second, formats()[static_cast<size_t>(definition)].result).f32; \
  }

inline const Function2 functions_of_two[] = {
    {"pow", SINTER_EVALUATE(pow), [](double a, double b) { return std::pow(a, b); }, {1.3, 0.039, 0.0351}},
    {"atan2", SINTER_EVALUATE(atan2), [](double a, double b) { return std::atan2(a, b); }, {1.53, 0.0097, 0.0013}},
    {"hypot", SINTER_EVALUATE(hypot), [](double a, double b) { return std::hypot(a, b); }, {0.76, 0.045, 0.0057}},
};
#undef SINTER_EVALUATE

inline double error_of(const Function2& f, float a, float b, int definition) {
  return error_in_ulps(f.evaluate(a, b, definition), f.exact(static_cast<double>(a), static_cast<double>(b)),
                       formats()[static_cast<size_t>(definition)]);
}

template <class Random>
float any_bits(Random& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random()));
}

/// Any bits; and a second coordinate of any bits, of the first's size, or within a factor of 2^32 of it.
template <class Random>
std::pair<float, float> pair_of_coordinates(Random& random) {
  std::uniform_real_distribution<double> near(0.5, 2), exponent(-32, 32);
  const float y = any_bits(random);
  const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
  switch (random() % 4) {
    case 0:
      return {y, any_bits(random)};
    case 1:
      return {y, sign * static_cast<float>(y * near(random))};
    default:
      return {y, sign * static_cast<float>(y * std::exp2(exponent(random)))};
  }
}

/// Any bits, numbers of ordinary size, and numbers near 1, where log2 x needs its relative accuracy.
template <class Random>
float base_of_power(Random& random) {
  std::uniform_real_distribution<double> scale(-8, 8), near(-0.01, 0.01);
  switch (random() % 4) {
    case 0:
      return any_bits(random);
    case 1:
      return static_cast<float>(1 + near(random));
    default:
      return static_cast<float>(std::exp2(scale(random)));
  }
}

/// y such that x^y is spread over the whole range of results, and a share of plain numbers, integers and any bits.
template <class Random>
float exponent_of_power(float x, Random& random) {
  const double l = std::log2(std::fabs(static_cast<double>(x)));
  std::uniform_real_distribution<double> result(-150, 129), plain(-4, 4);
  switch (random() % 8) {
    case 0:
      return static_cast<float>(plain(random));
    case 1:
      return static_cast<float>(std::nearbyint(plain(random) * 4));
    case 2:
      return any_bits(random);
    default:
      return static_cast<float>(l == 0 || !std::isfinite(l) ? 1 : result(random) / l);
  }
}

template <class Random>
std::pair<float, float> pair_for(const Function2& f, Random& random) {
  if (&f != functions_of_two) return pair_of_coordinates(random);
  const float x = base_of_power(random);
  return {x, exponent_of_power(x, random)};
}

}  // namespace sinter::math_test
