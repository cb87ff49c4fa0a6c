// SPDX-License-Identifier: Apache-2.0
//
// The documented error bounds, over 2^24 inputs that visit every exponent. tools/math/sweep.cpp does all 2^32.
#include "tests/math/inputs.h"
#include "tests/math/oracle.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace sinter::math_test {
namespace {

// Low bits that differ from block to block of equal high bits.
uint32_t scramble(uint32_t i) { return (i * 2654435761u) >> 7; }

/// Of 2^high_bits inputs with other high bits each, those of one part of `parts`.
std::vector<float> stratified(int high_bits, uint32_t part = 0, uint32_t parts = 1) {
  const int low_bits = 32 - high_bits;
  std::vector<float> x((size_t{1} << high_bits) / parts);
  for (size_t j = 0; j < x.size(); ++j) {
    const auto i = static_cast<uint32_t>(part * x.size() + j);
    const uint32_t low = low_bits == 16 ? 0 : scramble(i) & ((1u << low_bits) - 1);
    x[j] = std::bit_cast<float>(i << low_bits | low);
  }
  return x;
}

std::vector<float> specials() {
  std::vector<float> x = {0.0f, 0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, 1.0f, 0x1.fffffep127f, HUGE_VALF};
  for (const float v : {87.33654f, 88.02969f, 88.72283f, 88.72284f, 103.97207f, 103.97208f, 13.0f, 9.0109f, 8.66434f}) {
    for (const float w : {std::nextafter(v, 0.0f), v, std::nextafter(v, HUGE_VALF)}) x.push_back(w);
  }
  const size_t positive = x.size();
  for (size_t i = 0; i < positive; ++i) x.push_back(-x[i]);
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  x.push_back(std::bit_cast<float>(0xff800001u));
  return x;
}

void expect_within(const Function& f, int definition, const std::vector<float>& x) {
  const Format& format = formats()[static_cast<size_t>(definition)];
  std::vector<float> y(x.size());
  std::vector<double> value(x.size());
  f.evaluate(x.data(), y.data(), static_cast<int>(x.size()), format.result);
  f.exact(x.data(), value.data(), static_cast<int>(x.size()));
  int reported = 0;
  for (size_t i = 0; i < x.size() && reported < 5; ++i) {
    const double exact = value[i];
    const double error = error_in_ulps(y[i], exact, format);
    if (error <= f.bound[definition]) continue;
    if (f.absolute && std::fabs(y[i] - exact) <= f.absolute(x[i], format.result)) continue;
    ++reported;
    ADD_FAILURE() << f.name << " " << format.name << " at " << x[i] << ": " << y[i] << ", exact " << exact << ", error "
                  << error << " ulp";
  }
}

class Functions : public testing::TestWithParam<Function> {};

TEST_P(Functions, F32IsWithinItsBound) {
  constexpr uint32_t parts = 64;
  for (uint32_t part = 0; part < parts && !HasFailure(); ++part)
    expect_within(GetParam(), 0, stratified(24, part, parts));
  expect_within(GetParam(), 0, specials());
}

TEST_P(Functions, HalfOfEveryF16IsWithinItsBound) {
  expect_within(GetParam(), 1, all_of_16_bits(f16));
  expect_within(GetParam(), 1, specials());
}

TEST_P(Functions, HalfOfEveryBf16IsWithinItsBound) {
  expect_within(GetParam(), 2, all_of_16_bits(bf16));
  expect_within(GetParam(), 2, specials());
}

// Operands of a half definition may be wider than its result.
TEST_P(Functions, HalfOfF32InputsIsWithinItsBound) {
  expect_within(GetParam(), 1, stratified(20));
  expect_within(GetParam(), 2, stratified(20));
}

TEST_P(Functions, F32IsTheSameFromEveryCallShape) {
  const std::vector<float> x = stratified(12);
  std::vector<float> all(x.size());
  GetParam().evaluate(x.data(), all.data(), static_cast<int>(x.size()), f32);
  for (size_t i = 0; i < x.size(); ++i) {
    float one = 0;
    GetParam().evaluate(&x[i], &one, 1, f32);
    if (std::isnan(one) && std::isnan(all[i])) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(one), std::bit_cast<uint32_t>(all[i])) << "vector and scalar code at " << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(functions().begin(), functions().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Contraction, IsOff) {
  volatile float a = 1 + 0x1p-12f;
  volatile float b = 1 + 0x1p-11f;
  const float x = a, y = b;
  EXPECT_EQ(x * x - y, 0.0f) << "compiled with contraction of a * b + c";
}

TEST(Oracle, FindsWrongResults) {
  const Format& format = formats()[0];
  EXPECT_EQ(error_in_ulps(1.0f, 1.0, format), 0);
  EXPECT_EQ(error_in_ulps(1 + 0x1p-23f, 1.0, format), 1);
  EXPECT_EQ(error_in_ulps(0x1p-149f, 0.0, format), 1);
  EXPECT_EQ(error_in_ulps(-0.0f, 0.0, format), HUGE_VAL);
  EXPECT_EQ(error_in_ulps(HUGE_VALF, 1e38, format), HUGE_VAL);
  EXPECT_EQ(error_in_ulps(3e38f, HUGE_VAL, format), HUGE_VAL);
  EXPECT_EQ(error_in_ulps(HUGE_VALF, 1e39, format), 0);
  EXPECT_EQ(error_in_ulps(1.0f, NAN, format), HUGE_VAL);
  EXPECT_EQ(error_in_ulps(NAN, 1.0, format), HUGE_VAL);
}

}  // namespace
}  // namespace sinter::math_test
