// SPDX-License-Identifier: Apache-2.0
// Sorts on CUDA (the emulator, or a GPU) give the positions that the CPU gives: every kind of key, rows of a block and
// longer ones.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/capture/support.h"
#include "tests/index_writes/device.h"

namespace sinter::test {
namespace {

constexpr DType dtypes[] = {boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64};

/// Few distinct values, so that many are equal, among them both zeros, infinities and NaN where there are any.
Tensor data(const Dims& shape, DType t, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> v(static_cast<size_t>(shape.product()));
  constexpr double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN};
  for (double& x : v) {
    x = static_cast<double>(random() % 400) - (t.is_signed() ? 200 : 0);
    if (t.is_floating() && random() % 3 == 0) x = special[random() % 6];
    if (t == i32 || t == i64 || t == f64) x *= 1e5;
  }
  return to(from(v, shape), t);
}

void expect_cpu_order(const Tensor& x, bool descending) {
  SCOPED_TRACE(std::string(x.dtype().name()) + x.shape().text() + (descending ? " descending" : ""));
  const auto expected = to_vector<int64_t>(argsort(x, {.descending = descending}));
  EXPECT_EQ(to_vector<int64_t>(to(argsort(to(x, cuda_device()), {.descending = descending}), Device::cpu())), expected);
}

TEST(SortOnCuda, EveryKindOfKey) {
  for (const DType t : dtypes)
    for (const bool descending : {false, true}) expect_cpu_order(data({3, 30}, t, 1), descending);
}

TEST(SortOnCuda, RowsOfABlock) {
  for (const int64_t length : {1, 33, 256, 1000, 2048}) expect_cpu_order(data({2, length}, f64, 2), false);
  expect_cpu_order(data({1, 4096}, f32, 3), true);
}

TEST(SortOnCuda, LongRows) {
  expect_cpu_order(data({2, 9001}, f32, 4), false);
  expect_cpu_order(data({4097}, i16, 5), true);
  expect_cpu_order(data({5000}, u8, 6), false);
  expect_cpu_order(data({4100}, f64, 7), true);
}

TEST(SortOnCuda, ValuesOfAnyDimWithNeighbours) {
  const Tensor x = data({4, 50, 3}, f32, 8);
  const auto f = [](const Tensor& t) {
    const Sorted s = sort(t * 2 + 1, {.dim = 1, .descending = true});
    const Sorted top = topk(t, 7, {.dim = -2});
    return std::vector<Tensor>{s.values * 3, s.indices + 1, top.values, top.indices};
  };
  auto compiled = compile(f);
  const std::vector<Tensor> expected = f(x), here = compiled(x), there = compiled(to(x, cuda_device()));
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor back = to(there[i], Device::cpu());
    ASSERT_EQ(back.shape(), expected[i].shape());
    if (i % 2 == 0) {
      EXPECT_EQ(bits<float>(to(isnan(here[i]), f32)), bits<float>(to(isnan(expected[i]), f32)));
      EXPECT_EQ(bits<float>(nan_to_num(here[i])), bits<float>(nan_to_num(expected[i])));
      EXPECT_EQ(bits<float>(nan_to_num(back)), bits<float>(nan_to_num(expected[i])));
    } else {
      EXPECT_EQ(to_vector<int64_t>(here[i]), to_vector<int64_t>(expected[i]));
      EXPECT_EQ(to_vector<int64_t>(back), to_vector<int64_t>(expected[i]));
    }
  }
}

}  // namespace
}  // namespace sinter::test
