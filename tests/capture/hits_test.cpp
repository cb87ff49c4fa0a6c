// SPDX-License-Identifier: Apache-2.0
// What compiles, what hits, what is promoted.
#include <array>
#include <functional>
#include <random>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(Hits, CompilesOnceThenHits) {
  auto f = compile([](Tensor x) { return relu(x + 1) * 2; });
  EXPECT_EQ(f.stats().compilations, 0);
  const Tensor x = from<float>({-3, -1, 0, 2.5f});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{0, 0, 2, 7}));
  EXPECT_EQ(f.stats().calls, 5);
  EXPECT_EQ(f.stats().compilations, 1);
  EXPECT_EQ(f.stats().launches, 5);
  EXPECT_EQ(f.stats().breaks, 0);
}

TEST(Hits, CopiesShareEntries) {
  auto f = compile([](Tensor x) { return x * 3; });
  auto g = f;
  (void)f(counting({4}));
  (void)g(counting({4}));
  EXPECT_EQ(g.stats().calls, 2);
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Hits, ChangedNumberIsPromotedOnce) {
  double number = 0.5;
  auto body = [&](Tensor x) { return exp(x * number) + number; };
  auto f = compile(body);
  auto fresh = compile(body, {.dynamic = Dynamic::never});
  const Tensor x = counting({37});
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-4, 4);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(bits<float>(f(x)), bits<float>(fresh(x))) << number;
    number = any(random);
  }
  EXPECT_EQ(f.stats().compilations, 2);
  EXPECT_EQ(fresh.stats().compilations, 40);
}

TEST(Hits, PromotedIntegersHaveTheBitsOfLiterals) {
  int64_t number = 3;
  for (DType dtype : {u8, i32, i64, f16, bf16, f32, f64}) {
    auto body = [&](Tensor x) { return to(to(x, dtype) * number + number, f64); };
    auto promoted = compile(body);
    auto literal = compile(body, {.dynamic = Dynamic::never});
    const Tensor x = counting({19});
    for (int64_t n : {int64_t{3}, int64_t{4}, int64_t{-7}, int64_t{0}, int64_t{1}, int64_t{100}}) {
      number = n;
      std::vector<uint64_t> a, b;
      const std::string refused = refusal<UserError>([&] { b = bits<double>(literal(x)); });
      const std::string also = refusal<UserError>([&] { a = bits<double>(promoted(x)); });
      EXPECT_EQ(refused.empty(), also.empty()) << dtype.name() << " " << n << refused << also;
      EXPECT_EQ(a, b) << dtype.name() << " " << n;
    }
  }
}

TEST(Hits, LargeNumbersRoundTheSameWhetherPromotedOrNot) {
  int64_t number = 1;
  for (DType dtype : {i64, f16, f32, f64}) {
    auto body = [&](Tensor x) { return to(to(x, dtype) + number, f64); };
    auto promoted = compile(body);
    auto literal = compile(body, {.dynamic = Dynamic::never});
    const Tensor x = counting({5});
    for (int64_t n : {int64_t{1}, int64_t{2}, (int64_t{1} << 24) + 1, (int64_t{1} << 53) + 1, (int64_t{1} << 60) + 129,
                      int64_t{0x20000010000001}}) {
      number = n;
      EXPECT_EQ(bits<double>(promoted(x)), bits<double>(literal(x))) << dtype.name() << " " << n;
    }
  }
}

TEST(Hits, PromotedFloatingNumbersBecomeIntegersAsLiteralsDo) {
  double number = 0.5;
  const auto bodies = std::to_array<std::function<Tensor(Tensor)>>(
      {[&](Tensor x) { return logical_xor(x, number); }, [&](Tensor x) { return pad(to(x, i32), {1, 1}, number); },
       [&](Tensor x) { return pad(to(x, u64), {1, 1}, number); }});
  for (const auto& body : bodies) {
    auto promoted = compile(body);
    auto literal = compile(body, {.dynamic = Dynamic::never});
    const Tensor x = counting({5});
    for (double n : {0.5, 0.25, 2.75, 0.0, 7.0}) {
      number = n;
      EXPECT_EQ(bits<double>(to(promoted(x), f64)), bits<double>(to(literal(x), f64))) << n;
    }
  }
}

TEST(Hits, SpecialExponentsStayOtherCode) {
  double exponent = 2;
  auto f = compile([&](Tensor x) { return pow(x, exponent); });
  auto fresh = compile([&](Tensor x) { return pow(x, exponent); }, {.dynamic = Dynamic::never});
  const Tensor x = counting({9});
  for (double e : {2.0, 3.0, 2.7, 1.3, 0.5, -1.0, 0.0, 2.7, 2.0}) {
    exponent = e;
    EXPECT_EQ(bits<float>(f(x)), bits<float>(fresh(x))) << e;
  }
}

TEST(Hits, RandomSizesCostTwoRecompilations) {
  auto f = compile([](Tensor x, Tensor y) { return relu(x * 2 + y) - 1; });
  std::mt19937_64 random(2);
  std::uniform_int_distribution<int64_t> extent(2, 70);
  for (int i = 0; i < 1000; ++i) {
    const int64_t n = extent(random), m = extent(random);
    const Tensor x = counting({n, m}), y = counting({m});
    const std::vector<float> result = to_vector<float>(f(x, y));
    for (int64_t k : {int64_t{0}, n * m / 2, n * m - 1})
      ASSERT_EQ(result[static_cast<size_t>(k)], static_cast<float>(2 * k + k % m - 1)) << n << " " << m << " at " << k;
  }
  EXPECT_LE(f.stats().compilations, 3);
}

TEST(Hits, ExtentsZeroAndOneAreRight) {
  auto f = compile([](Tensor x, Tensor y) { return sum(x + y, {.dims = {1}}); });
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int64_t> extent(0, 3);
  for (int i = 0; i < 200; ++i) {
    const int64_t n = extent(random), m = extent(random);
    const bool broadcast = i % 3 == 0;
    const Tensor x = counting({n, m}), y = counting({broadcast ? 1 : n, m});
    std::vector<float> expected(static_cast<size_t>(n), 0);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < m; ++c)
        expected[static_cast<size_t>(r)] += static_cast<float>(r * m + c + (broadcast ? c : r * m + c));
    ASSERT_EQ(to_vector<float>(f(x, y)), expected) << n << " " << m << " " << broadcast;
  }
  EXPECT_LE(f.stats().compilations, 40);
}

TEST(Hits, NeverCompilesEachValue) {
  auto f = compile([](Tensor x) { return x + 1; }, {.dynamic = Dynamic::never});
  for (int64_t n = 2; n < 8; ++n) (void)f(counting({n}));
  for (int64_t n = 2; n < 8; ++n) (void)f(counting({n}));
  EXPECT_EQ(f.stats().compilations, 6);
}

TEST(Hits, AlwaysCompilesOnce) {
  double number = 1;
  auto f = compile([&](Tensor x) { return x * number; }, {.dynamic = Dynamic::always});
  for (int64_t n = 2; n < 8; ++n) {
    number = static_cast<double>(n) / 3;
    EXPECT_EQ(to_vector<float>(f(counting({n})))[1], static_cast<float>(number));
  }
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Hits, AlwaysRefusesShapesThatDoNotFitOnEveryCall) {
  auto f = compile([&](Tensor x, Tensor y) { return x + y; }, {.dynamic = Dynamic::always});
  EXPECT_EQ(to_vector<float>(f(counting({3}), counting({3}))), (std::vector<float>{0, 2, 4}));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)f(counting({3}), counting({4})); }), "[add]"));
  EXPECT_EQ(to_vector<float>(f(counting({2}), counting({2}))), (std::vector<float>{0, 2}));
}

TEST(Hits, PromotedExtentsRefuseShapesThatDoNotFit) {
  auto f = compile([&](Tensor x, Tensor y) { return x + y; });
  for (int64_t n : {5, 7, 9, 11}) (void)f(counting({n}), counting({n}));
  for (int64_t n : {4, 5, 7, 9, 11})
    EXPECT_TRUE(contains(refusal<UserError>([&] { (void)f(counting({n}), counting({n + 8})); }), "[add]")) << n;
}

TEST(Hits, PastMaxEntriesOneEntryServesTheRest) {
  double a = 0, b = 0;
  auto f = compile([&](Tensor x) { return x * a + b; }, {.max_entries = 2});
  for (int i = 0; i < 12; ++i) {
    (i % 2 ? a : b) += 0.5;
    EXPECT_EQ(to_vector<float>(f(counting({static_cast<int64_t>(2 + i)})))[1], static_cast<float>(a + b));
  }
  EXPECT_LE(f.stats().compilations, 3);
}

TEST(Hits, RanksAndDtypesAreOtherEntriesOfOneTrace) {
  auto f = compile([](Tensor x) { return x + x; });
  EXPECT_EQ(f(counting({4})).shape(), (Dims{4}));
  EXPECT_EQ(f(counting({2, 2})).shape(), (Dims{2, 2}));
  EXPECT_EQ(f(to(counting({4}), i32)).dtype(), i32);
  EXPECT_EQ(f.stats().compilations, 3);
  (void)f(counting({2, 2}));
  EXPECT_EQ(f.stats().compilations, 3);
}

}  // namespace
}  // namespace sinter::test
