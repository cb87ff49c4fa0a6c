// SPDX-License-Identifier: Apache-2.0
//
// The approximate definitions as the CPU computes them: their documented bounds, and the values at the edges, which
// hold for hardware as well. bench_approximations measures a device's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"

namespace sinter::math_test {
namespace {

namespace math = scalar::math;
using math::HostBuilder;
using math::HostValue;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double step = 0x1p-23;

template <class F>
float call(const F& f, float x) {
  HostBuilder b;
  return f(b, HostValue(x)).f32;
}

struct Approximation {
  const char* name;
  std::function<float(float)> value;
  double (*exact)(double x);
  /// Of the absolute error; results below 2^-125 may be 0.
  double (*bound)(double x, double exact);
};

#define SINTER_OF_ONE(function) [](float x) { return call([](auto& b, auto v) { return function(b, v); }, x); }
#define SINTER_OF_TYPE(function, type) \
  [](float x) { return call([](auto& b, auto v) { return function(b, v, type); }, x); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }
double of_exponential(double x, double exact) { return (2 + 1.2 * std::fabs(x)) * step * exact; }
double relative(double, double exact) { return 2 * step * std::fabs(exact); }
double of_logarithm(double, double exact) { return 2 * step * std::max(1.0, std::fabs(exact)); }

const std::vector<Approximation>& approximations() {
  static const std::vector<Approximation> all{
      {"exp", SINTER_OF_ONE(math::exp_approx), [](double x) { return std::exp(x); }, of_exponential},
      {"exp2", SINTER_OF_ONE(math::exp2_approx), [](double x) { return std::exp2(x); }, relative},
      {"log", SINTER_OF_ONE(math::log_approx), [](double x) { return std::log(x); }, of_logarithm},
      {"log2", SINTER_OF_ONE(math::log2_approx), [](double x) { return std::log2(x); }, of_logarithm},
      {"log10", SINTER_OF_ONE(math::log10_approx), [](double x) { return std::log10(x); }, of_logarithm},
      {"rsqrt", SINTER_OF_ONE(math::rsqrt_approx), [](double x) { return 1 / std::sqrt(x); }, relative},
      {"sigmoid", SINTER_OF_ONE(math::sigmoid_approx), sigmoid,
       [](double x, double exact) { return (4 + 1.2 * std::fabs(std::min(x, 0.0))) * step * exact; }},
      {"tanh f32", SINTER_OF_TYPE(math::tanh_approx, f32), [](double x) { return std::tanh(x); },
       [](double, double exact) { return 8 * step * std::fabs(exact); }},
      {"tanh f16", SINTER_OF_TYPE(math::tanh_approx, f16), [](double x) { return std::tanh(x); },
       [](double, double exact) { return 0x1p-13 * std::fabs(exact); }},
      {"gelu f32", SINTER_OF_TYPE(math::gelu_approx, f32), gelu,
       [](double x, double exact) { return 4 * step * std::fabs(exact) + 0x1p-25 * std::fabs(x); }},
      {"gelu f16", SINTER_OF_TYPE(math::gelu_approx, f16), gelu,
       [](double, double exact) { return 0x1p-13 * std::fabs(exact) + 0x1p-27; }},
  };
  return all;
}

TEST(Approximations, AreWithinTheirBounds) {
  constexpr double least = 0x1p-125, most = std::numeric_limits<float>::max();
  for (const Approximation& a : approximations()) {
    int reported = 0;
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32) && reported < 3; bits += 4051) {
      const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      const double exact = a.exact(x), got = a.value(x);
      if (std::isnan(exact) && std::isnan(got)) continue;
      if (std::isinf(exact) || std::fabs(exact) > most * (1 - 1e-4)) {
        if (std::fabs(got) > most * (1 - 2e-4)) continue;
      } else if (std::fabs(got - exact) <= std::max(a.bound(x, exact), least)) {
        continue;
      }
      ++reported;
      ADD_FAILURE() << a.name << " at " << x << ": " << got << ", exact " << exact;
    }
  }
}

TEST(Approximations, OfEdgesAreRight) {
  const auto of = [](const std::string& name, float x) {
    for (const Approximation& a : approximations())
      if (a.name == name) return a.value(x);
    ADD_FAILURE() << name;
    return 0.0f;
  };
  EXPECT_EQ(of("exp", -inf), 0);
  EXPECT_EQ(of("exp", -1000), 0);
  EXPECT_EQ(of("exp", inf), inf);
  EXPECT_EQ(of("exp", 0), 1);
  EXPECT_EQ(of("exp", -0.0f), 1);
  EXPECT_EQ(of("exp", 1e-45f), 1);
  EXPECT_EQ(of("exp2", 127), 0x1p127f);
  EXPECT_EQ(of("exp2", 128), inf);
  EXPECT_EQ(of("log", 0), -inf);
  EXPECT_EQ(of("log", -0.0f), -inf);
  EXPECT_EQ(of("log", inf), inf);
  EXPECT_EQ(of("log2", 0x1p-149f), -149);
  EXPECT_EQ(of("log2", 1), 0);
  EXPECT_TRUE(std::isnan(of("log", -1)));
  EXPECT_EQ(of("rsqrt", 0), inf);
  EXPECT_EQ(of("rsqrt", -0.0f), -inf);
  EXPECT_EQ(of("rsqrt", inf), 0);
  EXPECT_TRUE(std::isnan(of("rsqrt", -1)));
  EXPECT_EQ(of("sigmoid", -inf), 0);
  EXPECT_EQ(of("sigmoid", inf), 1);
  EXPECT_EQ(of("sigmoid", 0), 0.5f);
  for (const char* name : {"tanh f32", "tanh f16"}) {
    EXPECT_NEAR(of(name, inf), 1, 0x1p-11) << name;
    EXPECT_NEAR(of(name, -inf), -1, 0x1p-11) << name;
    EXPECT_EQ(std::bit_cast<uint32_t>(of(name, -0.0f)), 0x80000000u) << name;
  }
  for (const char* name : {"gelu f32", "gelu f16"}) {
    EXPECT_EQ(of(name, inf), inf) << name;
    EXPECT_EQ(of(name, 0), 0) << name;
    EXPECT_EQ(of(name, -20), 0) << name;
  }
  for (const Approximation& a : approximations()) EXPECT_TRUE(std::isnan(a.value(nan))) << a.name;
}

float power(float x, float y) {
  HostBuilder b;
  return math::pow_approx(b, HostValue(x), HostValue(y)).f32;
}

TEST(Approximations, PowHasTheCasesOfC) {
  const float numbers[] = {0.0f, -0.0f, 1,   -1,   0.5f,   -0.5f,   2,       -2,  3,       -3,
                           2.5f, -2.5f, inf, -inf, 1e-40f, -1e-40f, 0x1p24f, nan, 0x1p33f, -0x1p33f};
  for (const float x : numbers)
    for (const float y : numbers) {
      const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
      const float got = power(x, y), expected = static_cast<float>(exact);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << x << " ^ " << y << ": " << got;
        continue;
      }
      EXPECT_EQ(std::signbit(got), std::signbit(expected)) << x << " ^ " << y << ": " << got;
      if (std::fabs(expected) < 0x1p-125f || std::isinf(expected))
        EXPECT_NEAR(std::isinf(expected) ? (got == expected ? 0 : 1) : std::fabs(got), 0, 0x1p-125) << x << " ^ " << y;
      else
        EXPECT_NEAR(got / exact, 1, 0x1p-15) << x << " ^ " << y;
    }
}

TEST(Approximations, PowIsWithinItsBound) {
  uint32_t state = 1;
  const auto random = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24; };
  for (int i = 0; i < 200000; ++i) {
    const auto x = static_cast<float>(std::exp2(40 * random() - 20));
    const auto y = static_cast<float>(8 * random() - 4);
    const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
    if (exact < 0x1p-125 || exact > 0x1p127) continue;
    // The logarithm's error is absolute near 1.
    const double exponent = std::fabs(y) * std::max(1.0, std::fabs(std::log2(static_cast<double>(x))));
    ASSERT_LE(std::fabs(power(x, y) / exact - 1), (4 + 2 * exponent) * step) << x << " ^ " << y;
  }
}

}  // namespace
}  // namespace sinter::math_test
