// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scalar/apply.h"

namespace sinter::scalar {
namespace {

template <class To>
void expect_saturation(float above) {
  EXPECT_EQ(converted<To>(inf), highest<To>);
  EXPECT_EQ(converted<To>(-inf), lowest<To>);
  EXPECT_EQ(converted<To>(nan), To{0});
  EXPECT_EQ(converted<To>(above), highest<To>);  // max + 1, the first float that does not fit
  EXPECT_EQ(converted<To>(-2 * above), lowest<To>);
  EXPECT_EQ(converted<To>(1e300), highest<To>);
  EXPECT_EQ(converted<To>(-1e300), lowest<To>);
  EXPECT_EQ(converted<To>(std::nan("")), To{0});
  EXPECT_EQ(converted<To>(-0.9f), To{0});
  EXPECT_EQ(converted<To>(2.9f), To{2});
}

TEST(FloatToInteger, SaturatesAndNaNGivesZero) {
  expect_saturation<int32_t>(0x1p31f);
  expect_saturation<uint32_t>(0x1p32f);
  expect_saturation<int64_t>(0x1p63f);
  expect_saturation<uint64_t>(0x1p64f);
  EXPECT_EQ(converted<int32_t>(-0x1p31f), lowest<int32_t>);
  EXPECT_EQ(converted<int32_t>(2147483647.0), highest<int32_t>);
  EXPECT_EQ(converted<int32_t>(-2147483648.5), lowest<int32_t>);
  EXPECT_EQ(converted<uint32_t>(-1.0f), 0u);
  EXPECT_EQ(converted<int32_t>(-2.9f), -2);
  EXPECT_EQ(converted<int64_t>(std::nextafter(0x1p63, 0.0)), highest<int64_t> - 1023);
}

TEST(IntegerToFloat, RoundsToNearestEvenOnce) {
  EXPECT_EQ(converted<float>(16777217), 16777216.0f);
  EXPECT_EQ(converted<float>(16777219), 16777220.0f);
  // Through f64 this would round twice, to 2^60 + 2^37 * 0.
  EXPECT_EQ(converted<float>((int64_t{1} << 60) + (int64_t{1} << 36) + 1), 0x1p60f + 0x1p37f);
  EXPECT_EQ(converted<float>(highest<uint64_t>), 0x1p64f);
  EXPECT_EQ(converted<double>((int64_t{1} << 53) + 1), 0x1p53);
}

TEST(IntegerToInteger, KeepsTheLowBits) {
  EXPECT_EQ(converted<uint32_t>(-1), 0xffffffffu);
  EXPECT_EQ(converted<int64_t>(-1), -1);
  EXPECT_EQ(converted<uint64_t>(-1), highest<uint64_t>);
  EXPECT_EQ(converted<int64_t>(0xffffffffu), int64_t{0xffffffff});
  EXPECT_EQ(converted<int32_t>((int64_t{1} << 32) + 5), 5);
}

TEST(Boolean, IsNotEqualToZero) {
  EXPECT_TRUE(converted<bool>(nan));
  EXPECT_TRUE(converted<bool>(0.5f));
  EXPECT_FALSE(converted<bool>(-0.0f));
  EXPECT_TRUE(converted<bool>(256));
  EXPECT_EQ(converted<int32_t>(true), 1);
  EXPECT_EQ(converted<float>(true), 1.0f);
}

TEST(FloatToFloat, OverflowsToInfinityAndKeepsNaN) {
  EXPECT_EQ(converted<float>(1e300), inf);
  EXPECT_EQ(converted<float>(-1e300), -inf);
  EXPECT_EQ(converted<float>(0x1.fffffefp127), highest<float>);
  EXPECT_EQ(converted<float>(0x1.ffffffp127), inf);
  EXPECT_TRUE(std::isnan(converted<float>(std::nan(""))));
  EXPECT_EQ(bits(converted<float>(0x1p-149)), 1u);
  EXPECT_EQ(bits(converted<float>(0x1p-150)), 0u);  // tie to even
  EXPECT_EQ(bits(converted<float>(0x1.000001p-150)), 1u);
}

TEST(Convert, AStorageTypeMeansItsComputeTypeWithoutRounding) {
  EXPECT_EQ(converted<float>(1.0f + 0x1p-20f, f16), 1.0f + 0x1p-20f);
  EXPECT_EQ(converted<int32_t>(300.7f, i8), 300);
}

TEST(RoundTo, IntegersWrap) {
  EXPECT_EQ(rounded(128, i8), -128);
  EXPECT_EQ(rounded(-129, i8), 127);
  EXPECT_EQ(rounded(255, i8), -1);
  EXPECT_EQ(rounded(0x18000, i16), -0x8000);
  EXPECT_EQ(rounded(256u, u8), 0u);
  EXPECT_EQ(rounded(0xffffffffu, u8), 255u);
  EXPECT_EQ(rounded(0x1ffffu, u16), 0xffffu);
  EXPECT_EQ(rounded(-5, i32), -5);
}

TEST(RoundTo, HalfTiesGoToEven) {
  EXPECT_EQ(rounded(1 + 0x1p-11f, f16), 1.0f);             // halfway to 1 + 2^-10
  EXPECT_EQ(rounded(1 + 3 * 0x1p-11f, f16), 1 + 0x1p-9f);  // halfway, odd below
  EXPECT_EQ(rounded(1 + 0x1.001p-11f, f16), 1 + 0x1p-10f);
  EXPECT_EQ(rounded(1 + 0x1p-8f, bf16), 1.0f);
  EXPECT_EQ(rounded(1 + 3 * 0x1p-8f, bf16), 1 + 0x1p-6f);
  EXPECT_EQ(rounded(1 + 0x1.01p-8f, bf16), 1 + 0x1p-7f);
}

TEST(RoundTo, HalfSubnormals) {
  EXPECT_EQ(rounded(0x1p-24f, f16), 0x1p-24f);  // the smallest
  EXPECT_EQ(rounded(0x1p-25f, f16), 0.0f);      // tie to even
  EXPECT_EQ(rounded(0x1.002p-25f, f16), 0x1p-24f);
  EXPECT_EQ(rounded(3 * 0x1p-25f, f16), 0x1p-23f);      // 1.5 units: tie, odd below
  EXPECT_EQ(rounded(5 * 0x1p-25f, f16), 0x1p-23f);      // 2.5 units: tie, even below
  EXPECT_EQ(rounded(0x1.ff8p-15f, f16), 0x1.ff8p-15f);  // 1023 units, the largest
  EXPECT_EQ(rounded(0x1.ffcp-15f, f16), 0x1p-14f);      // 1023.5 units: a tie, up into the normals
  EXPECT_TRUE(std::signbit(rounded(-0x1p-25f, f16)));
  EXPECT_EQ(bits(rounded(from_bits(0x00008000), bf16)), 0u);  // half of the smallest bf16 subnormal
  EXPECT_EQ(bits(rounded(from_bits(0x00008001), bf16)), 0x00010000u);
  EXPECT_EQ(bits(rounded(from_bits(0x00018000), bf16)), 0x00020000u);  // tie, odd below
  EXPECT_EQ(bits(rounded(from_bits(0x007fffff), bf16)), 0x00800000u);  // into the normals
}

TEST(RoundTo, HalfOverflowsToInfinity) {
  EXPECT_EQ(rounded(65504.0f, f16), 65504.0f);
  EXPECT_EQ(rounded(65519.996f, f16), 65504.0f);
  EXPECT_EQ(rounded(65520.0f, f16), inf);  // tie between 65504 and 65536
  EXPECT_EQ(rounded(-65520.0f, f16), -inf);
  EXPECT_EQ(rounded(1e30f, f16), inf);
  EXPECT_EQ(rounded(from_bits(0x7f7f7fff), bf16), from_bits(0x7f7f0000));
  EXPECT_EQ(rounded(from_bits(0x7f7f8000), bf16), inf);
  EXPECT_EQ(rounded(inf, bf16), inf);
}

TEST(RoundTo, NaNStaysNaN) {
  // Signalling NaNs whose payload lies only in the bits that are cut off must not become infinities.
  for (uint32_t pattern : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0x7fffffffu, 0x7f80ffffu})
    for (DType t : {f16, bf16}) EXPECT_TRUE(std::isnan(rounded(from_bits(pattern), t))) << pattern << t.name();
}

TEST(RoundTo, EveryHalfAndBFloat16RoundsToItself) {
  for (DType t : {f16, bf16})
    for (uint32_t b = 0; b < 0x10000; ++b) {
      const auto stored = static_cast<uint16_t>(b);
      const Constant v = load_element(&stored, t);
      const Constant r = evaluate(ScalarOp::round_to, {&v, 1}, t);
      const float f = from_constant<float>(v);
      if (f != f)
        ASSERT_TRUE(std::isnan(from_constant<float>(r))) << b;
      else
        ASSERT_EQ(r, v) << t.name() << " " << b;
    }
}

TEST(RoundTo, NearestAmongNeighboursForEveryMidpoint) {
  // Between consecutive finite values x < y: just below the midpoint gives x, just above y, the midpoint the even one.
  for (DType t : {f16, bf16}) {
    const uint32_t top = t == f16 ? 0x7bffu : 0x7f7fu;
    for (uint32_t b = 0; b < top; ++b) {
      const auto low = static_cast<uint16_t>(b), high = static_cast<uint16_t>(b + 1);
      const auto x = from_constant<float>(load_element(&low, t)), y = from_constant<float>(load_element(&high, t));
      const auto middle = static_cast<float>((static_cast<double>(x) + static_cast<double>(y)) / 2);
      ASSERT_EQ(rounded(middle, t), (b & 1) != 0 ? y : x) << t.name() << " " << b;
      ASSERT_EQ(rounded(std::nextafter(middle, -inf), t), x) << t.name() << " " << b;
      ASSERT_EQ(rounded(std::nextafter(middle, inf), t), y) << t.name() << " " << b;
    }
  }
}

TEST(Bitcast, KeepsBits) {
  const Constant one = constant_f32(1);
  EXPECT_EQ(evaluate(ScalarOp::bitcast, {&one, 1}, i32), (Constant{i32, 0x3f800000}));
  const Constant minus = constant_int(i64, -1);
  EXPECT_EQ(evaluate(ScalarOp::bitcast, {&minus, 1}, f64), (Constant{f64, highest<uint64_t>}));
}

}  // namespace
}  // namespace sinter::scalar
