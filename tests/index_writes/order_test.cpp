// SPDX-License-Identifier: Apache-2.0
// What PyTorch leaves open: the order of floating sums, which of several writes stays, and that devices agree on both.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/capture/support.h"
#include "tests/index_writes/device.h"

namespace sinter::test {
namespace {

using Values = std::vector<float>;

/// Of all magnitudes, so that sums in another order have other bits.
Values numbers(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> mantissa;
  Values v(count);
  for (float& x : v) x = std::ldexp(mantissa(random), static_cast<int>(random() % 40) - 20);
  return v;
}

std::vector<int64_t> indices(int64_t bound, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> v(count);
  for (int64_t& i : v) i = static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  return v;
}

Tensor on(Device device, const Tensor& t) { return device.is_cpu() ? t : to(t, device); }

std::vector<Device> devices() { return {Device::cpu(), cuda_device()}; }

TEST(IndexOrder, FloatsAreAddedAsTheSourceStands) {
  constexpr int64_t rows = 7, width = 5, count = 300;
  const Values x = numbers(rows * width, 1), source = numbers(count * width, 2);
  const std::vector<int64_t> at = indices(rows, count, 3);
  Values expected = x;
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < width; ++i) expected[static_cast<size_t>(at[k]) * width + i] += source[k * width + i];
  Values backwards = x;
  for (size_t k = count; k-- > 0;)
    for (size_t i = 0; i < width; ++i) backwards[static_cast<size_t>(at[k]) * width + i] += source[k * width + i];
  ASSERT_NE(expected, backwards);  // the data tell orders apart
  for (const Device d : devices()) {
    SCOPED_TRACE(d.text());
    const Tensor t = on(d, from(x, {rows, width})), s = on(d, from(source, {count, width})),
                 index = on(d, from(at, {count}));
    EXPECT_EQ(to_vector<float>(index_add(t, 0, index, s)), expected);
    auto compiled = compile([&](const Tensor& a, const Tensor& i, const Tensor& b) {
      return index_put(a * 1, {i}, b, {.accumulate = true}) + 0;
    });
    EXPECT_EQ(to_vector<float>(compiled(t, index, s)), expected);
    const Tensor flat = scatter_add(flatten(t), 0, on(d, from(at, {count})), narrow(flatten(s), 0, 0, count));
    Values of_flat = x;
    for (size_t k = 0; k < count; ++k) of_flat[static_cast<size_t>(at[k])] += source[k];
    EXPECT_EQ(to_vector<float>(flat), of_flat);
  }
}

TEST(IndexOrder, HalvesAreRoundedOnce) {
  // 2048 + 1 is 2048 in f16, as often as one adds; in f32 the ones count.
  for (const Device d : devices()) {
    const Tensor x = on(d, to(from(Values{2048}, {1}), f16)), ones = on(d, to(from(Values(64, 1), {64}), f16));
    const Tensor sum = index_add(x, 0, on(d, zeros({64}, i64)), ones);
    EXPECT_EQ(to_vector<float>(to(sum, f32)), Values{2112});
  }
}

TEST(IndexOrder, TheLastWriteStays) {
  constexpr int64_t bound = 9, count = 500;
  const std::vector<int64_t> at = indices(bound, count, 4);
  std::vector<int32_t> source(count), expected(bound, -1);
  std::iota(source.begin(), source.end(), 0);
  for (size_t k = 0; k < count; ++k) expected[static_cast<size_t>(at[k])] = source[k];
  for (const Device d : devices()) {
    SCOPED_TRACE(d.text());
    const Tensor x = on(d, full({bound}, -1, i32)), index = on(d, from(at, {count})), s = on(d, from(source, {count}));
    EXPECT_EQ(to_vector<int32_t>(scatter(x, 0, index, s)), expected);
    EXPECT_EQ(to_vector<int32_t>(index_copy(x, 0, index, s)), expected);
    EXPECT_EQ(to_vector<int32_t>(index_put(x, {index}, s)), expected);
  }
}

TEST(IndexOrder, IntegersAndCountsOfManyThreads) {
  constexpr int64_t count = 100'000;
  const std::vector<int64_t> at = indices(5, count, 5);
  std::vector<int64_t> expected(5);
  for (const int64_t i : at) ++expected[static_cast<size_t>(i)];
  const Tensor index = from(at, {count});
  EXPECT_EQ(to_vector<int64_t>(bincount(index)), expected);
  EXPECT_EQ(to_vector<int64_t>(scatter_add(zeros({5}, i64), 0, index, ones({count}, i64))), expected);
  for (const int64_t n : {3000, 20'000}) {
    const Tensor few = narrow(index, 0, 0, n);
    auto compiled = compile([](const Tensor& t) { return bincount(t, {.length = 6}); });
    EXPECT_EQ(to_vector<int64_t>(compiled(on(cuda_device(), few))),
              to_vector<int64_t>(bincount(few, {.minlength = 6})));
  }
}

TEST(IndexOrder, FewPlacesAreCountedInTables) {
  constexpr int64_t count = 40'003;
  for (const int64_t places : {1, 3, 256, 4096}) {
    const Tensor at = from(indices(places, count, 8), {count}), small = to(at, i32);
    const Tensor values = from(indices(int64_t{1} << 40, count, 9), {count}) - (int64_t{1} << 39);
    const Tensor sums = zeros({places}, i64), rows = zeros({places, 1}, i32);
    const auto f = [&](const Tensor& t, const Tensor& s, const Tensor& v) {
      return std::vector<Tensor>{bincount(s, {.length = places}), scatter_add(to(sums, t.device()), 0, t, v * v),
                                 flatten(index_add(to(rows, t.device()), 0, t, to(reshape(v, {count, 1}), i32))),
                                 histc(to(s, f32), {.bins = places, .min = 0, .max = 2})};
    };
    auto compiled = compile(f);
    const std::vector<Tensor> expected = f(at, small, values),
                              there =
                                  compiled(on(cuda_device(), at), on(cuda_device(), small), on(cuda_device(), values));
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(to_vector<double>(to(to(there[i], Device::cpu()), f64)), to_vector<double>(to(expected[i], f64)))
          << places << ' ' << i;
  }
}

TEST(IndexOrder, WeightsAreAddedInOrder) {
  const std::vector<int64_t> at = indices(4, 200, 6);
  const Values weights = numbers(200, 7);
  Values expected(4);
  for (size_t k = 0; k < at.size(); ++k) expected[static_cast<size_t>(at[k])] += weights[k];
  const Tensor got = bincount(from(at, {200}), {.weights = from(weights, {200})});
  EXPECT_EQ(to_vector<float>(got), expected);
}

TEST(IndexOrder, IndicesOutOfRange) {
  const Tensor x = zeros({3, 2});
  for (const int64_t bad : {int64_t{3}, int64_t{-1}, int64_t{1} << 40}) {
    const Tensor index = from(std::vector<int64_t>{0, bad}, {2}), rows = ones({2, 2});
    EXPECT_TRUE(contains(refusal<UserError>([&] { index_add(x, 0, index, rows); }), "[index_add]"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { index_copy(x, 0, index, rows); }), "[index_copy]"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { scatter(zeros({3}), 0, index, ones({2})); }), "[scatter]"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { scatter_add(zeros({3}), 0, index, ones({2})); }), "[scatter_add]"));
  }
  const Tensor below = from(std::vector<int64_t>{-4}, {1});
  EXPECT_TRUE(contains(refusal<UserError>([&] { index_put(x, {below}, 1); }), "[index_put]"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { bincount(from(std::vector<int64_t>{1, -1}, {2})); }), "[bincount]"));
}

TEST(IndexOrder, CallsThatCannotBe) {
  const Tensor x = zeros({3, 2}), index = zeros({2}, i64);
  EXPECT_TRUE(contains(refusal<UserError>([&] { index_add(x, 0, index, ones({2, 3})); }), "[index_add]"));
  EXPECT_FALSE(refusal<UserError>([&] { index_add(x, 0, to(index, f32), ones({2, 2})); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { scatter(x, 0, index, x); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { index_put(x, {}, 1); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { index_copy(zeros({0, 2}), 0, index, ones({2, 2})); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { topk(x, 3); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { histc(x, {.bins = 0}); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { bincount(x); }).empty());
}

}  // namespace
}  // namespace sinter::test
