// SPDX-License-Identifier: Apache-2.0
#include "src/reference/array.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include "src/reference/elementwise.h"

namespace sinter::reference {
namespace {

Array array(DType t, const Dims& shape, std::vector<double> v) { return Array::of(t, shape, v); }

TEST(Array, IsRowMajor) {
  const Array a = array(i16, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(scalar::as_int(a.at({1, 2})), 5);
  EXPECT_EQ(scalar::as_int(a.at({1, 0})), 3);
  EXPECT_EQ(a.data.size(), 12u);
  EXPECT_THROW(a.at({2, 0}), CompileError);
  EXPECT_THROW(a.at({0, -1}), CompileError);
  EXPECT_THROW(a.at(Dims{0}), CompileError);
  EXPECT_THROW(a.at(6), CompileError);
  EXPECT_THROW(a.at(-1), CompileError);
  EXPECT_THROW(array(f32, {2}, {1}), CompileError);
}

TEST(Array, RoundsItsValues) {
  EXPECT_EQ(scalar::as_double(array(f16, {}, {1 + 0x1p-12}).at(0)), 1.0);
  EXPECT_EQ(scalar::as_int(array(i8, {}, {300}).at(0)), 44);
}

TEST(Array, VisitsEveryIndexOnceInOrder) {
  std::vector<Dims> seen;
  for_each_index({2, 2}, [&](const Dims& i) { seen.push_back(i); });
  EXPECT_EQ(seen, (std::vector<Dims>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  int scalars = 0, none = 0;
  for_each_index({}, [&](const Dims&) { ++scalars; });
  for_each_index({3, 0}, [&](const Dims&) { ++none; });
  EXPECT_EQ(scalars, 1);
  EXPECT_EQ(none, 0);
}

TEST(Broadcast, Shapes) {
  const Array v[] = {Array::zeros(f32, {3, 1}), Array::zeros(f32, {2, 1, 4}), Array::zeros(f32, {})};
  EXPECT_EQ(broadcast_shape(v), (Dims{2, 3, 4}));
  const Array empty[] = {Array::zeros(f32, {1}), Array::zeros(f32, {0})};
  EXPECT_EQ(broadcast_shape(empty), (Dims{0}));
  const Array wrong[] = {Array::zeros(f32, {2}), Array::zeros(f32, {3})};
  EXPECT_THROW(broadcast_shape(wrong), CompileError);
}

TEST(MapElements, BroadcastsConvertsAndRounds) {
  const Array v[] = {array(u8, {2, 1}, {1, 200}), array(f16, {3}, {0.5, 1, 2})};
  const Array r = map_elements(f16, f16, v, [](std::span<const scalar::Constant> x) {
    EXPECT_EQ(x[0].dtype, f32);
    return scalar::evaluate(scalar::ScalarOp::mul, x);
  });
  EXPECT_EQ(r, array(f16, {2, 3}, {0.5, 1, 2, 100, 200, 400}));
}

}  // namespace
}  // namespace sinter::reference
