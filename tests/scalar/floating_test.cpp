// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scalar/apply.h"

namespace sinter::scalar {
namespace {

template <class T>
class FloatOps : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOps, Floats);

TYPED_TEST(FloatOps, MinAndMaxPropagateNaN) {
  using T = TypeParam;
  const T quiet = std::numeric_limits<T>::quiet_NaN();
  for (ScalarOp op : {ScalarOp::min, ScalarOp::max})
    for (T v : {T(1), T(-1), std::numeric_limits<T>::infinity()}) {
      EXPECT_TRUE(std::isnan(apply<T>(op, quiet, v)));
      EXPECT_TRUE(std::isnan(apply<T>(op, v, quiet)));
    }
}

TYPED_TEST(FloatOps, MinusZeroIsBelowZeroInMinAndMaxOnly) {
  using T = TypeParam;
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::min, T(0), T(-0.0))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::min, T(-0.0), T(0))));
  EXPECT_FALSE(std::signbit(apply<T>(ScalarOp::max, T(0), T(-0.0))));
  EXPECT_FALSE(std::signbit(apply<T>(ScalarOp::max, T(-0.0), T(0))));
  EXPECT_TRUE(apply<bool>(ScalarOp::eq, T(0), T(-0.0)));
  EXPECT_FALSE(apply<bool>(ScalarOp::lt, T(-0.0), T(0)));
}

TYPED_TEST(FloatOps, SignsOfZero) {
  using T = TypeParam;
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::neg, T(0))));
  EXPECT_FALSE(std::signbit(apply<T>(ScalarOp::abs, T(-0.0))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::add, T(-0.0), T(-0.0))));
  EXPECT_FALSE(std::signbit(apply<T>(ScalarOp::add, T(-0.0), T(0))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::ceil, T(-0.5))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::round_even, T(-0.5))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::fmod, T(-4), T(2))));
  EXPECT_TRUE(std::signbit(apply<T>(ScalarOp::sqrt, T(-0.0))));
}

TYPED_TEST(FloatOps, ComparisonsWithNaNAreFalseButNe) {
  using T = TypeParam;
  const T quiet = std::numeric_limits<T>::quiet_NaN();
  for (ScalarOp op : {ScalarOp::lt, ScalarOp::le, ScalarOp::eq}) {
    EXPECT_FALSE(apply<bool>(op, quiet, T(1)));
    EXPECT_FALSE(apply<bool>(op, T(1), quiet));
    EXPECT_FALSE(apply<bool>(op, quiet, quiet));
  }
  EXPECT_TRUE(apply<bool>(ScalarOp::ne, quiet, quiet));
  EXPECT_TRUE(apply<bool>(ScalarOp::ne, quiet, T(1)));
}

TYPED_TEST(FloatOps, Rounding) {
  using T = TypeParam;
  EXPECT_EQ(apply<T>(ScalarOp::round_even, T(2.5)), T(2));
  EXPECT_EQ(apply<T>(ScalarOp::round_even, T(3.5)), T(4));
  EXPECT_EQ(apply<T>(ScalarOp::round_even, T(-2.5)), T(-2));
  EXPECT_EQ(apply<T>(ScalarOp::floor, T(-0.5)), T(-1));
  EXPECT_EQ(apply<T>(ScalarOp::trunc, T(-1.7)), T(-1));
  EXPECT_EQ(apply<T>(ScalarOp::ceil, T(1.2)), T(2));
  EXPECT_EQ(apply<T>(ScalarOp::fmod, T(-7), T(3)), T(-1));
  EXPECT_EQ(apply<T>(ScalarOp::fmod, T(7), T(-3)), T(1));
  EXPECT_TRUE(std::isnan(apply<T>(ScalarOp::fmod, T(7), T(0))));
}

TYPED_TEST(FloatOps, DivisionIsIeee) {
  using T = TypeParam;
  EXPECT_EQ(apply<T>(ScalarOp::div, T(1), T(0)), std::numeric_limits<T>::infinity());
  EXPECT_EQ(apply<T>(ScalarOp::div, T(1), T(-0.0)), -std::numeric_limits<T>::infinity());
  EXPECT_TRUE(std::isnan(apply<T>(ScalarOp::div, T(0), T(0))));
  EXPECT_EQ(apply<T>(ScalarOp::mul, highest<T>, T(2)), std::numeric_limits<T>::infinity());
}

TEST(Fma, RoundsOnceAndAProductAndASumRoundTwice) {
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  EXPECT_EQ(apply<float>(ScalarOp::fma, a, a, c), 0x1p-24f);
  EXPECT_EQ(apply<float>(ScalarOp::add, apply<float>(ScalarOp::mul, a, a), c), 0.0f);
}

TEST(Subnormals, AreKept) {
  EXPECT_EQ(bits(apply<float>(ScalarOp::mul, from_bits(2), 0.5f)), 1u);
  EXPECT_EQ(bits(apply<float>(ScalarOp::add, from_bits(1), from_bits(1))), 2u);
}

TEST(Approximations, AreTheFunctionsWithinTheirBounds) {
  EXPECT_FLOAT_EQ(apply<float>(ScalarOp::ex2_approx, 3.0f), 8.0f);
  EXPECT_FLOAT_EQ(apply<float>(ScalarOp::lg2_approx, 8.0f), 3.0f);
  EXPECT_FLOAT_EQ(apply<float>(ScalarOp::rcp_approx, 4.0f), 0.25f);
  EXPECT_FLOAT_EQ(apply<float>(ScalarOp::rsqrt_approx, 16.0f), 0.25f);
}

TEST(DoubleFunctions, AreThePlatforms) {
  // Not constants: the compiler's own value of a function may differ in the last place.
  volatile double half = 0.5, more = 1.5, negative = -2.5;
  EXPECT_EQ(apply<double>(ScalarOp::exp_f64, more), std::exp(more));
  EXPECT_EQ(apply<double>(ScalarOp::log_f64, more), std::log(more));
  EXPECT_EQ(apply<double>(ScalarOp::tanh_f64, more), std::tanh(more));
  EXPECT_EQ(apply<double>(ScalarOp::erf_f64, half), std::erf(half));
  EXPECT_EQ(apply<double>(ScalarOp::exp2_f64, half), std::exp2(half));
  EXPECT_EQ(apply<double>(ScalarOp::expm1_f64, half), std::expm1(half));
  EXPECT_EQ(apply<double>(ScalarOp::log2_f64, more), std::log2(more));
  EXPECT_EQ(apply<double>(ScalarOp::log10_f64, more), std::log10(more));
  EXPECT_EQ(apply<double>(ScalarOp::log1p_f64, half), std::log1p(half));
  EXPECT_EQ(apply<double>(ScalarOp::sin_f64, half), std::sin(half));
  EXPECT_EQ(apply<double>(ScalarOp::cos_f64, half), std::cos(half));
  EXPECT_EQ(apply<double>(ScalarOp::tan_f64, half), std::tan(half));
  EXPECT_EQ(apply<double>(ScalarOp::asin_f64, half), std::asin(half));
  EXPECT_EQ(apply<double>(ScalarOp::acos_f64, half), std::acos(half));
  EXPECT_EQ(apply<double>(ScalarOp::atan_f64, half), std::atan(half));
  EXPECT_EQ(apply<double>(ScalarOp::sinh_f64, half), std::sinh(half));
  EXPECT_EQ(apply<double>(ScalarOp::cosh_f64, half), std::cosh(half));
  EXPECT_EQ(apply<double>(ScalarOp::asinh_f64, half), std::asinh(half));
  EXPECT_EQ(apply<double>(ScalarOp::acosh_f64, more), std::acosh(more));
  EXPECT_EQ(apply<double>(ScalarOp::atanh_f64, half), std::atanh(half));
  EXPECT_EQ(apply<double>(ScalarOp::erfc_f64, half), std::erfc(half));
  EXPECT_EQ(apply<double>(ScalarOp::atan2_f64, more, negative), std::atan2(more, negative));
  EXPECT_EQ(apply<double>(ScalarOp::hypot_f64, more, negative), std::hypot(more, negative));
  EXPECT_EQ(apply<double>(ScalarOp::pow_f64, more, negative), std::pow(more, negative));
}

}  // namespace
}  // namespace sinter::scalar
