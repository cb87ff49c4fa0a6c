// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/math/host_builder.h"
#include "src/scalar/math/math.h"
#include "tests/math/oracle.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace sinter::math_test {
namespace {

namespace m = sinter::scalar::math;

struct Function2 {
  const char* name;
  float (*evaluate)(float a, float b, int definition);
  double (*exact)(double a, double b);
  double bounds[3];  ///< largest errors measured over 10^7 pairs, rounded up
};

#define SINTER_EVALUATE(name)                                                                       \
  [](float a, float c, int definition) {                                                            \
    m::HostBuilder b;                                                                               \
    const m::HostValue first(a), second(c);                                                         \
    if (definition == 0) return m::name##_f32(b, first, second).f32;                                \
    return m::name##_half(b, first, second, formats()[static_cast<size_t>(definition)].result).f32; \
  }

const Function2 functions_of_two[] = {
    {"atan2", SINTER_EVALUATE(atan2), [](double a, double b) { return std::atan2(a, b); }, {1.48, 0.0096, 0.0012}},
    {"hypot", SINTER_EVALUATE(hypot), [](double a, double b) { return std::hypot(a, b); }, {0.76, 0.045, 0.0056}},
};

double error_of(const Function2& f, float a, float b, int definition) {
  return error_in_ulps(f.evaluate(a, b, definition), f.exact(static_cast<double>(a), static_cast<double>(b)),
                       formats()[static_cast<size_t>(definition)]);
}

/// Any bits; and a second coordinate of any bits, of the first's size, or within a factor of 2^32 of it.
std::pair<float, float> pair_of(std::mt19937& random) {
  const auto any = [&] { return std::bit_cast<float>(static_cast<uint32_t>(random())); };
  std::uniform_real_distribution<double> near(0.5, 2), exponent(-32, 32);
  const float y = any();
  const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
  switch (random() % 4) {
    case 0:
      return {y, any()};
    case 1:
      return {y, sign * static_cast<float>(y * near(random))};
    default:
      return {y, sign * static_cast<float>(y * std::exp2(exponent(random)))};
  }
}

class OfTwo : public testing::TestWithParam<Function2> {};

TEST_P(OfTwo, IsWithinItsBounds) {
  const Function2& f = GetParam();
  constexpr int pairs = 10'000'000;
  int reported = 0;
  double worst[3] = {};
  std::mt19937 random(1);
  for (int i = 0; i < pairs && reported < 10; ++i) {
    const auto [y, x] = pair_of(random);
    for (int definition = 0; definition < 3; ++definition) {
      const double error = error_of(f, y, x, definition);
      worst[definition] = std::max(worst[definition], error);
      if (error <= f.bounds[definition]) continue;
      ++reported;
      ADD_FAILURE() << formats()[static_cast<size_t>(definition)].name << " " << f.name << "(" << y << ", " << x
                    << ") = " << f.evaluate(y, x, definition) << ", error " << error << " ulp";
    }
  }
  for (int definition = 0; definition < 3; ++definition)
    RecordProperty(formats()[static_cast<size_t>(definition)].name, std::to_string(worst[definition]));
}

TEST_P(OfTwo, SpecialPairsAreThoseOfC) {
  const Function2& f = GetParam();
  std::vector<float> values = {0.0f, 0x1p-149f, 0x1.8p-130f, 0x1p-126f, 0.5f,           1.0f,
                               1.5f, 2.0f,      1e10f,       0x1p126f,  0x1.fffffep127f};
  values.push_back(std::numeric_limits<float>::infinity());
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (const float y : values)
    for (const float x : values)
      for (int definition = 0; definition < 3; ++definition)
        EXPECT_LE(error_of(f, y, x, definition), f.bounds[definition])
            << f.name << "(" << y << ", " << x << ") = " << f.evaluate(y, x, definition);
}

INSTANTIATE_TEST_SUITE_P(All, OfTwo, testing::ValuesIn(functions_of_two),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace sinter::math_test
