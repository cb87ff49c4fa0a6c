// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/scalar/apply.h"

namespace sinter::scalar {
namespace {

template <class T>
class IntegerOps : public testing::Test {};
using Integers = testing::Types<int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(IntegerOps, Integers);

template <class T>
constexpr bool is_signed = std::is_signed_v<T>;

TYPED_TEST(IntegerOps, ArithmeticWraps) {
  using T = TypeParam;
  EXPECT_EQ(apply<T>(ScalarOp::add, highest<T>, T{1}), lowest<T>);
  EXPECT_EQ(apply<T>(ScalarOp::sub, lowest<T>, T{1}), highest<T>);
  EXPECT_EQ(apply<T>(ScalarOp::mul, highest<T>, T{2}), static_cast<T>(-2));
  EXPECT_EQ(apply<T>(ScalarOp::neg, lowest<T>), lowest<T>);
  EXPECT_EQ(apply<T>(ScalarOp::neg, T{5}), static_cast<T>(-5));
  EXPECT_EQ(apply<T>(ScalarOp::abs, lowest<T>), lowest<T>);  // |MIN| wraps to MIN; unsigned 0 stays 0
  EXPECT_EQ(apply<T>(ScalarOp::abs, static_cast<T>(-3)), is_signed<T> ? T{3} : static_cast<T>(-3));
}

TYPED_TEST(IntegerOps, DivisionNeverFaults) {
  using T = TypeParam;
  const T all_ones = static_cast<T>(-1);
  for (T v : {T{0}, T{7}, highest<T>, lowest<T>, all_ones}) {
    EXPECT_EQ(apply<T>(ScalarOp::idiv, v, T{0}), all_ones) << v;
    EXPECT_EQ(apply<T>(ScalarOp::irem, v, T{0}), v) << v;
  }
  EXPECT_EQ(apply<T>(ScalarOp::idiv, lowest<T>, all_ones), is_signed<T> ? lowest<T> : T{0});
  EXPECT_EQ(apply<T>(ScalarOp::irem, lowest<T>, all_ones), T{0});
  EXPECT_EQ(apply<T>(ScalarOp::irem, T{7}, all_ones), is_signed<T> ? T{0} : T{7});
  EXPECT_EQ(apply<T>(ScalarOp::idiv, T{7}, T{2}), T{3});
}

TEST(SignedDivision, TruncatesAndTheRemainderHasTheSignOfTheDividend) {
  EXPECT_EQ(apply<int32_t>(ScalarOp::idiv, -7, 2), -3);
  EXPECT_EQ(apply<int32_t>(ScalarOp::irem, -7, 2), -1);
  EXPECT_EQ(apply<int32_t>(ScalarOp::irem, 7, -2), 1);
}

TYPED_TEST(IntegerOps, ShiftsPastTheWidthGiveZeroOrTheSign) {
  using T = TypeParam;
  const T width = 8 * sizeof(T);
  const T negative = static_cast<T>(-8), all_ones = static_cast<T>(-1);
  for (T n : {width, static_cast<T>(width + 1), highest<T>, all_ones}) {  // -1 is a huge count
    EXPECT_EQ(apply<T>(ScalarOp::shl, T{5}, n), T{0}) << n;
    EXPECT_EQ(apply<T>(ScalarOp::shr, T{5}, n), T{0}) << n;
    EXPECT_EQ(apply<T>(ScalarOp::shr, negative, n), is_signed<T> ? all_ones : T{0}) << n;
  }
  EXPECT_EQ(apply<T>(ScalarOp::shl, T{1}, static_cast<T>(width - 1)),
            static_cast<T>(std::make_unsigned_t<T>{1} << (width - 1)));
  EXPECT_EQ(apply<T>(ScalarOp::shl, all_ones, T{1}), static_cast<T>(-2));
  EXPECT_EQ(apply<T>(ScalarOp::shr, negative, T{1}), is_signed<T> ? static_cast<T>(-4) : negative / 2);
  EXPECT_EQ(apply<T>(ScalarOp::shl, T{5}, T{0}), T{5});
}

TEST(MulHi, IsTheUpperHalf) {
  EXPECT_EQ(apply<uint32_t>(ScalarOp::mul_hi, 0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(apply<int32_t>(ScalarOp::mul_hi, -1, 1), -1);
  EXPECT_EQ(apply<int32_t>(ScalarOp::mul_hi, lowest<int32_t>, lowest<int32_t>), 0x40000000);
  EXPECT_EQ(apply<uint64_t>(ScalarOp::mul_hi, highest<uint64_t>, highest<uint64_t>), highest<uint64_t> - 1);
  EXPECT_EQ(apply<int64_t>(ScalarOp::mul_hi, int64_t{-1}, int64_t{1}), -1);
  EXPECT_EQ(apply<int64_t>(ScalarOp::mul_hi, lowest<int64_t>, int64_t{2}), -1);
}

TYPED_TEST(IntegerOps, OrderAndBits) {
  using T = TypeParam;
  const T minus_one = static_cast<T>(-1);
  EXPECT_EQ(apply<T>(ScalarOp::min, minus_one, T{1}), is_signed<T> ? minus_one : T{1});
  EXPECT_EQ(apply<T>(ScalarOp::max, minus_one, T{1}), is_signed<T> ? T{1} : minus_one);
  EXPECT_EQ(apply<bool>(ScalarOp::lt, minus_one, T{1}), is_signed<T>);
  EXPECT_EQ(apply<T>(ScalarOp::bit_not, T{0}), minus_one);
  EXPECT_EQ(apply<T>(ScalarOp::bit_xor, T{6}, T{3}), T{5});
  EXPECT_EQ(apply<T>(ScalarOp::bit_and, T{6}, T{3}), T{2});
  EXPECT_EQ(apply<T>(ScalarOp::bit_or, T{6}, T{3}), T{7});
}

TEST(Boolean, IsLogic) {
  EXPECT_TRUE(apply<bool>(ScalarOp::bit_not, false));
  EXPECT_FALSE(apply<bool>(ScalarOp::bit_not, true));
  EXPECT_TRUE(apply<bool>(ScalarOp::max, false, true));
  EXPECT_FALSE(apply<bool>(ScalarOp::min, false, true));
  EXPECT_TRUE(apply<bool>(ScalarOp::lt, false, true));
  EXPECT_TRUE(apply<bool>(ScalarOp::bit_xor, true, false));
}

TEST(Choice, SelectAndRare) {
  EXPECT_EQ(apply<int32_t>(ScalarOp::select, true, 1, 2), 1);
  EXPECT_EQ(apply<int32_t>(ScalarOp::select, false, 1, 2), 2);
  EXPECT_EQ(apply<int32_t>(ScalarOp::rare, true, 1, 2), 2);
  EXPECT_EQ(apply<int32_t>(ScalarOp::rare, false, 1, 2), 1);
  EXPECT_EQ(apply<bool>(ScalarOp::select, true, false, true), false);
}

}  // namespace
}  // namespace sinter::scalar
