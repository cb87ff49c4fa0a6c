// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"
#include "tests/math/oracle.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <vector>

namespace sinter::math_test {
namespace {

namespace m = sinter::scalar::math;

// Largest errors measured over 10^7 pairs.
constexpr double bounds[] = {1.2, 0.034, 0.036};

float pow_of(float x, float y, int definition) {
  m::HostBuilder b;
  const m::HostValue a(x), e(y);
  if (definition == 0) return m::pow_f32(b, a, e).f32;
  return m::pow_half(b, a, e, formats()[static_cast<size_t>(definition)].result).f32;
}

// y such that x^y is spread over the whole range of results, and a share of plain numbers, integers and any bits.
float exponent_for(float x, std::mt19937& random) {
  const double l = std::log2(std::fabs(x));
  std::uniform_real_distribution<double> result(-150, 129), plain(-4, 4);
  switch (random() % 8) {
    case 0:
      return static_cast<float>(plain(random));
    case 1:
      return static_cast<float>(std::nearbyint(plain(random) * 4));
    case 2:
      return std::bit_cast<float>(static_cast<uint32_t>(random()));
    default:
      return static_cast<float>(l == 0 || !std::isfinite(l) ? 1 : result(random) / l);
  }
}

// Any bits, numbers of ordinary size, and numbers near 1, where log2 x needs its relative accuracy.
float base(std::mt19937& random) {
  std::uniform_real_distribution<double> scale(-8, 8), near(-0.01, 0.01);
  switch (random() % 4) {
    case 0:
      return std::bit_cast<float>(static_cast<uint32_t>(random()));
    case 1:
      return static_cast<float>(1 + near(random));
    default:
      return static_cast<float>(std::exp2(scale(random)));
  }
}

TEST(Pow, IsWithinItsBounds) {
  constexpr int pairs = 10'000'000;
  int reported = 0;
  std::mt19937 random(1);
  for (int i = 0; i < pairs && reported < 10; ++i) {
    const float x = base(random);
    const float y = exponent_for(x, random);
    const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
    for (int definition = 0; definition < 3; ++definition) {
      const float got = pow_of(x, y, definition);
      const double error = error_in_ulps(got, exact, formats()[static_cast<size_t>(definition)]);
      if (error <= bounds[definition]) continue;
      ++reported;
      ADD_FAILURE() << formats()[static_cast<size_t>(definition)].name << " pow(" << x << ", " << y << ") = " << got
                    << ", exact " << exact << ", error " << error << " ulp";
    }
  }
}

TEST(Pow, SpecialPairsAreThoseOfC) {
  std::vector<float> values = {0.0f, 0x1p-149f,     0x1p-126f, 0.3f,           0.5f,    0x1.fffffep-1f,
                               1.0f, 0x1.000002p0f, 1.5f,      2.0f,           3.0f,    4.0f,
                               5.5f, 0x1p23f + 1,   0x1p24f,   0x1.fffffep23f, 0x1p32f, 0x1.fffffep127f};
  values.push_back(std::numeric_limits<float>::infinity());
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (const float x : values) {
    for (const float y : values) {
      const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
      for (int definition = 0; definition < 3; ++definition) {
        const float got = pow_of(x, y, definition);
        EXPECT_LE(error_in_ulps(got, exact, formats()[static_cast<size_t>(definition)]), bounds[definition])
            << "pow(" << x << ", " << y << ") = " << got << ", exact " << exact;
      }
    }
  }
}

}  // namespace
}  // namespace sinter::math_test
