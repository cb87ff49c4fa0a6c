// SPDX-License-Identifier: Apache-2.0
#include "src/graph/attributes.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <limits>

namespace sinter::graph {
namespace {

enum class Colour { red, green };

TEST(Attributes, ReadBackInTheOrderOfWriting) {
  CallAttributes call;
  call.flag(true)
      .number(Number::of(1.5))
      .integers({3, -4})
      .dtype(bf16)
      .device(Device::cuda(2))
      .enumeration(Colour::green);
  call.extents({7, 8}).integer(-9).extent(10).number(Number::of(false));
  EXPECT_FALSE(call.is_extent(0));
  EXPECT_TRUE(call.is_extent(1));
  EXPECT_TRUE(call.is_extent(3));
  EXPECT_FALSE(call.is_extent(4));
  const Attributes a = literal_attributes(call);
  AttributeReader r(a);
  EXPECT_TRUE(r.flag());
  EXPECT_EQ(r.number().literal, Number::of(1.5));
  EXPECT_EQ(r.integers(), (Dims{3, -4}));
  EXPECT_EQ(r.dtype(), bf16);
  EXPECT_EQ(r.device(), Device::cuda(2));
  EXPECT_EQ(r.enumeration<Colour>(), Colour::green);
  EXPECT_EQ(r.extents(), (std::vector<Expr>{7, 8}));
  EXPECT_EQ(r.integer(), -9);
  EXPECT_EQ(r.extent(), Expr(10));
  EXPECT_FALSE(r.done());
  EXPECT_EQ(r.number().literal, Number::of(false));
  EXPECT_TRUE(r.done());
  EXPECT_THROW(r.integer(), CompileError);
  EXPECT_THROW(r.number(), CompileError);
}

TEST(Attributes, TooManyAreTheUsersError) {
  CallAttributes words, values;
  for (size_t i = 0; i < CallAttributes::max_words; ++i) words.integer(0);
  EXPECT_THROW(words.integer(0), UserError);
  for (size_t i = 0; i < CallAttributes::max_values; ++i) values.number(Number::of(0));
  EXPECT_THROW(values.extent(0), UserError);
  EXPECT_EQ(values.values().size(), CallAttributes::max_values);
}

TEST(Scalars, AreEqualIfTheirValueIs) {
  Scalar a, b;
  a.literal = Number::of(1);
  b.literal = Number::of(1.0);
  EXPECT_NE(a, b);
  b.literal = Number::of(2);
  EXPECT_NE(a, b);
  a.symbol = b.symbol = 3;
  EXPECT_EQ(a, b);
  b.symbol = 4;
  EXPECT_NE(a, b);
  a = b = Scalar{Number::of(5), -1, Expr::symbol(0), true};
  b.literal = Number::of(6);
  EXPECT_EQ(a, b);
  b.expr = 6;
  EXPECT_NE(a, b);
}

TEST(Numbers, AsConstants) {
  EXPECT_EQ(constant_of(Number::of(0.1), f32), scalar::constant_f32(0.1f));
  EXPECT_EQ(constant_of(Number::of(2.7), i32), scalar::constant_int(i32, 2));
  EXPECT_EQ(constant_of(Number::of(1e20), i32), scalar::constant_int(i32, std::numeric_limits<int32_t>::max()));
  EXPECT_EQ(constant_of(Number::of((int64_t{1} << 32) + 5), i32), scalar::constant_int(i32, 5));
  EXPECT_EQ(constant_of(Number::of((int64_t{1} << 60) + 1), i64), scalar::constant_int(i64, (int64_t{1} << 60) + 1));
  EXPECT_EQ(constant_of(Number::of(16777217), f32), scalar::constant_f32(16777216.0f));
  EXPECT_EQ(constant_of(Number::of(true), f64), scalar::constant_f64(1));
  EXPECT_EQ(constant_of(Number::of(256), boolean), scalar::constant_bool(true));
}

}  // namespace
}  // namespace sinter::graph
