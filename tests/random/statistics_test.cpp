// SPDX-License-Identifier: Apache-2.0
// Distributions, by tests of fixed seeds: a statistic that is far from its expectation is a bug, not bad luck.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

constexpr int64_t many = 1 << 20;

/// How many standard deviations a chi-square statistic of `counts`, all equally likely, lies from its mean.
double surprise(const std::vector<int64_t>& counts) {
  const double expected = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0})) /
                          static_cast<double>(counts.size());
  double chi = 0;
  for (const int64_t n : counts)
    chi += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  return std::fabs(chi - freedom) / std::sqrt(2 * freedom);
}

template <class T>
double mean_of(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double ma = mean_of(a), mb = mean_of(b);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<double> values(const Tensor& t) { return to_vector<double>(to(t, f64)); }

class OfDType : public testing::TestWithParam<DType> {
  void SetUp() override { manual_seed(2024); }
};

TEST_P(OfDType, UniformNumbersFillTheirRangeEvenly) {
  const std::vector<double> v = values(rand({many}, GetParam()));
  std::vector<int64_t> counts(256);
  for (const double x : v) {
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<size_t>(x * 256)];
  }
  EXPECT_LT(surprise(counts), 4);
}

TEST_P(OfDType, NormalNumbersHaveTheNormalDistribution) {
  std::vector<double> v = values(randn({many}, GetParam()));
  double power2 = 0, power3 = 0, power4 = 0;
  for (const double x : v) {
    power2 += x * x;
    power3 += x * x * x;
    power4 += x * x * x * x;
  }
  constexpr double n = many, deviations = 4;
  EXPECT_NEAR(mean_of(v), 0, deviations / std::sqrt(n));
  EXPECT_NEAR(power2 / n, 1, deviations * std::sqrt(2 / n) + 1e-5);
  EXPECT_NEAR(power3 / n, 0, deviations * std::sqrt(15 / n));
  EXPECT_NEAR(power4 / n, 3, deviations * std::sqrt(96 / n) + 1e-4);
  // Kolmogorov and Smirnov; steps of the format's numbers count.
  std::ranges::sort(v);
  double distance = 0;
  for (size_t i = 0; i < v.size(); ++i)
    distance = std::max(distance, std::fabs(0.5 * std::erfc(-v[i] * M_SQRT1_2) - (static_cast<double>(i) + 0.5) / n));
  const double step = GetParam() == bf16 ? 0x1p-9 : GetParam() == f16 ? 0x1p-12 : 0;
  EXPECT_LT(distance, 1.9 / std::sqrt(n) + step);
}

TEST_P(OfDType, NeighboursAndCallsAreUncorrelated) {
  const std::vector<double> a = values(randn({many}, GetParam())), b = values(randn({many}, GetParam()));
  constexpr double bound = 4 / 1024.0;
  EXPECT_LT(std::fabs(correlation(a, b)), bound);
  for (const size_t lag : {1, 2, 3, 4, 32, 1024}) {
    const auto end = a.end() - static_cast<std::ptrdiff_t>(lag);
    EXPECT_LT(std::fabs(correlation({a.begin(), end}, {a.begin() + static_cast<std::ptrdiff_t>(lag), a.end()})), bound)
        << lag;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, OfDType, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST(RandomStatistics, HalfNumbersAreAllMultiplesAndEquallyLikely) {
  manual_seed(1);
  for (const auto& [dtype, steps] : {std::pair<DType, int>{f16, 2048}, {bf16, 256}}) {
    std::vector<int64_t> counts(static_cast<size_t>(steps));
    for (const double x : values(rand({many}, dtype))) {
      ASSERT_EQ(x * steps, std::floor(x * steps));
      ++counts[static_cast<size_t>(x * steps)];
    }
    EXPECT_LT(surprise(counts), 4);
  }
}

TEST(RandomStatistics, PairsOfElementsFillTheSquare) {
  manual_seed(5);
  const std::vector<double> v = values(rand({many}));
  std::vector<int64_t> counts(32 * 32);
  for (size_t i = 0; i + 1 < v.size(); i += 2)
    ++counts[static_cast<size_t>(v[i] * 32) * 32 + static_cast<size_t>(v[i + 1] * 32)];
  EXPECT_LT(surprise(counts), 4);
}

TEST(RandomStatistics, IntegersAreEquallyLikely) {
  manual_seed(6);
  for (const int64_t count : {2, 3, 10, 255, 1000, 4097}) {
    std::vector<int64_t> counts(static_cast<size_t>(count));
    for (const int64_t v : to_vector<int64_t>(randint(-5, count - 5, {many}))) {
      ASSERT_TRUE(v >= -5 && v < count - 5) << v;
      ++counts[static_cast<size_t>(v + 5)];
    }
    EXPECT_LT(surprise(counts), 4) << count;
  }
  int64_t negative = 0;
  for (const int64_t v : to_vector<int64_t>(randint(INT64_MIN, INT64_MAX, {many}))) negative += v < 0;
  EXPECT_NEAR(static_cast<double>(negative) / many, 0.5, 4 * 0.5 / 1024);
}

TEST(RandomStatistics, DropoutAndBernoulliKeepTheirShare) {
  manual_seed(7);
  for (const double p : {0.1, 0.5, 0.9}) {
    const double deviation = 4 * std::sqrt(p * (1 - p)) / 1024;
    EXPECT_NEAR(mean_of(values(bernoulli(zeros({many}, u8), p))), p, deviation);
    EXPECT_NEAR(mean_of(values(bernoulli(full({many}, p, f64)))), p, deviation);
    const std::vector<double> kept = values(dropout(ones({many}), p));
    EXPECT_NEAR(mean_of(kept), 1, deviation / (1 - p));
    EXPECT_NEAR(static_cast<double>(std::ranges::count(kept, 0.0)) / many, p, deviation);
  }
}

}  // namespace
}  // namespace sinter::test
