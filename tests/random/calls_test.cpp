// SPDX-License-Identifier: Apache-2.0
// What the public functions give and refuse.
#include <cmath>
#include <limits>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(RandomCalls, ShapesDtypesAndDevices) {
  EXPECT_EQ(rand({2, 3}).shape(), (Dims{2, 3}));
  EXPECT_EQ(rand({}, f16).dtype(), f16);
  EXPECT_EQ(randn({0, 4}).shape(), (Dims{0, 4}));
  EXPECT_EQ(randint(5, {3}).dtype(), i64);
  EXPECT_EQ(randint(0, 2, {3}, boolean).dtype(), boolean);
  EXPECT_EQ(rand_like(zeros({3}, bf16)).dtype(), bf16);
  EXPECT_EQ(randn_like(zeros({3}, u8), f64).dtype(), f64);
  EXPECT_EQ(randint_like(zeros({3}, i16), 0, 9).dtype(), i16);
  EXPECT_EQ(bernoulli(zeros({3}, i8), 0.5).dtype(), i8);
}

TEST(RandomCalls, LikeAnOperandIsLikeItsShape) {
  const Tensor x = transpose(zeros({5, 3}, f16), 0, 1);
  const auto both = [&](auto like, auto plain) {
    manual_seed(3);
    const auto a = bits<float>(to(like(), f32));
    manual_seed(3);
    EXPECT_EQ(a, bits<float>(to(plain(), f32)));
  };
  both([&] { return rand_like(x); }, [] { return rand({3, 5}, f16); });
  both([&] { return randn_like(x, f32); }, [] { return randn({3, 5}); });
  both([&] { return randint_like(x, -3, 4); }, [] { return randint(-3, 4, {3, 5}, f16); });
}

TEST(RandomCalls, BoundsAreLowAndBelowHigh) {
  manual_seed(4);
  for (const DType t : {f16, bf16, f32, f64}) {
    const double low = 1, high = 1 + 2 * (t == f16 ? 0x1p-10 : t == bf16 ? 0x1p-7 : t == f32 ? 0x1p-23 : 0x1p-52);
    for (const double v : to_vector<double>(to(uniform(low, high, {1000}, t), f64))) {
      EXPECT_GE(v, low);
      EXPECT_LT(v, high);
    }
    for (const double v : to_vector<double>(to(uniform(3, 3, {10}, t), f64))) EXPECT_EQ(v, 3);
  }
  for (const float v : to_vector<float>(normal(2, 0, {5}))) EXPECT_EQ(v, 2);
}

TEST(RandomCalls, SureProbabilities) {
  for (const DType t : {f16, bf16, f32, f64}) {
    for (const double v : to_vector<double>(to(bernoulli(ones({1000}, t)), f64))) ASSERT_EQ(v, 1);
    for (const double v : to_vector<double>(to(bernoulli(zeros({1000}, t)), f64))) ASSERT_EQ(v, 0);
    for (const double v : to_vector<double>(to(dropout(ones({100}, t), 1), f64))) ASSERT_EQ(v, 0);
  }
  const Tensor odd = from<float>({2, -1, std::numeric_limits<float>::quiet_NaN()}, {3});
  EXPECT_EQ(to_vector<float>(bernoulli(odd)), (std::vector<float>{1, 0, 0}));
}

TEST(RandomCalls, DropoutThatDropsNothingIsTheTensorItself) {
  const Tensor x = counting({4});
  const RandomState before = random_state();
  EXPECT_EQ(dropout(x, 0.5, false).impl(), x.impl());
  EXPECT_EQ(dropout(x, 0).impl(), x.impl());
  EXPECT_EQ(random_state(), before) << "nothing was drawn";
}

TEST(RandomCalls, DropoutScalesAndMultipliesAsPyTorch) {
  manual_seed(8);
  const Tensor x = from<float>({INFINITY, NAN, -INFINITY, 4}, {4});
  bool infinite = false, dropped = false;
  for (int i = 0; i < 50; ++i) {
    const auto v = to_vector<float>(dropout(x, 0.5));
    EXPECT_TRUE(std::isnan(v[1]));
    EXPECT_TRUE(v[3] == 8 || v[3] == 0);
    infinite = infinite || v[0] == INFINITY;
    dropped = dropped || std::isnan(v[0]);
  }
  EXPECT_TRUE(infinite && dropped) << "inf * 0 is NaN";
}

TEST(RandomCalls, Refusals) {
  const auto expect = [](const char* text, const auto& call) {
    const std::string said = refusal<UserError>(call);
    EXPECT_TRUE(contains(said, text)) << said;
  };
  expect("[random_uniform] expected a floating dtype, got i32", [] { rand({2}, i32); });
  expect("[random_normal] expected a floating dtype, got boolean", [] { randn({2}, boolean); });
  expect("[randn_like] expected a floating dtype, got i64", [] { randn_like(zeros({2}, i64)); });
  expect("negative", [] { rand({2, -1}); });
  expect("[uniform] expected low <= high, got 2 and 1", [] { uniform(2, 1, {2}); });
  expect("too far apart for f16", [] { uniform(-40000, 40000, {2}, f16); });
  expect("[normal] expected std >= 0, got -1", [] { normal(0, -1, {2}); });
  expect("[randint] expected low < high, got 3 and 3", [] { randint(3, 3, {2}); });
  expect("[randint] u8 does not hold the integers from 0 to 256", [] { randint(257, {2}, u8); });
  expect("[randint] f16 does not hold the integers from 0 to 2049", [] { randint(2050, {2}, f16); });
  expect("[dropout] expected a probability between 0 and 1, got 1.5", [] { dropout(ones({2}), 1.5); });
  expect("[dropout] expected a probability", [] { dropout(ones({2}), std::nan("")); });
  expect("[dropout] expected a floating dtype, got i32", [] { dropout(ones({2}, i32)); });
  expect("[bernoulli] expected probabilities of a floating dtype, got i32", [] { bernoulli(ones({2}, i32)); });
  expect("[rand_like]", [] { rand_like(1.5); });
}

}  // namespace
}  // namespace sinter::test
