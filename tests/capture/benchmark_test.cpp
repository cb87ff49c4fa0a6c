// SPDX-License-Identifier: Apache-2.0
// benchmark(): not how fast anything is, but that it measures what it says.
#include <gtest/gtest.h>
#include <sinter/benchmark.h>

#include <map>
#include <optional>
#include <tuple>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

constexpr int few = 5;

TEST(Benchmark, MeasuresEveryWayToFuse) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return std::pair(relu(x + 1) * 2, sigmoid(x) * y); },
                   {.name = "measured"});
  const Tensor x = counting({64, 100}) / 7000, y = expand(counting({100}), {64, 100});
  const BenchmarkResult r = benchmark(f, {.rounds = few}, x, y);
  EXPECT_EQ(f.stats().calls, 0);
  EXPECT_EQ(r.name, "measured");
  EXPECT_TRUE(contains(r.location, "benchmark_test.cpp:"));
  EXPECT_TRUE(contains(r.device, "cpu "));
  EXPECT_EQ(r.argument_bytes, 4 * (6400 + 100));  // what is expanded is there once
  EXPECT_EQ(r.result_bytes, 4 * 2 * 6400);
  ASSERT_EQ(r.ways.size(), 3u);
  const int64_t launches[] = {1, 2, 5};
  for (size_t i = 0; i < 3; ++i) {
    const BenchmarkWay& w = r.ways[i];
    EXPECT_EQ(w.launches, launches[i]) << w.name;
    EXPECT_EQ(w.captured, launches[i]) << w.name;
    EXPECT_GT(w.cold_compile.machine_ms, 0);
    EXPECT_GT(w.cold_ms, w.cold_compile.total_ms());
    EXPECT_GT(w.disk_ms, 0);
    EXPECT_LT(w.disk_ms, w.cold_ms);
    EXPECT_LE(w.device.p10, w.device.median);
    EXPECT_LE(w.device.median, w.device.p90);
    EXPECT_GT(w.device.p10, 0);
    EXPECT_DOUBLE_EQ(w.of_copy, r.copy.median / w.device.median);
  }
  EXPECT_EQ(r.ways[0].name, "fusion all");
  EXPECT_EQ(r.ways[2].name, "op by op");
  const std::string text = r.text();
  for (const char* part :
       {"benchmark measured", "fusion all", "fusion vertical", "op by op", "from disk", "arguments 26.0 KB"})
    EXPECT_TRUE(contains(text, part)) << text;
}

TEST(Benchmark, ColdIsColdEveryTime) {
  const auto f = compile([](const Tensor& x) { return x * 3 + 0.5f; });
  const Tensor x = counting({77});
  for (int i = 0; i < 2; ++i) {
    const BenchmarkResult r = benchmark(f, {.fusions = {Fusion::all}, .rounds = few}, x);
    ASSERT_EQ(r.ways.size(), 1u);
    EXPECT_GT(r.ways[0].cold_compile.machine_ms, 0);
  }
}

TEST(Benchmark, TakesPlainFunctionsContainersAndOptionals) {
  const auto f = [](const std::vector<Tensor>& list, const std::optional<Tensor>& maybe, float scale) {
    return std::tuple(list[0] * scale, std::map<int, Tensor>{{1, list[1] + *maybe}}.at(1));
  };
  const BenchmarkResult r = benchmark(f, std::vector{counting({8}), counting({8})}, std::optional(counting({8})), 2.0f);
  EXPECT_EQ(r.argument_bytes, 3 * 32);
  EXPECT_EQ(r.result_bytes, 2 * 32);
}

TEST(Benchmark, AFunctionThatReadsValuesIsMeasuredAndNotCaptured) {
  const auto f = compile([](const Tensor& x) { return item<float>(sum(x)) > 0 ? x + 1 : x - 1; });
  const BenchmarkResult r = benchmark(f, {.fusions = {Fusion::all}, .rounds = few}, counting({50}));
  EXPECT_EQ(r.ways.at(0).launches, 2);
  EXPECT_EQ(r.ways.at(0).captured, -1);
  EXPECT_TRUE(contains(r.text(), "not captured: ")) << r.text();
}

TEST(Benchmark, AViewOfAnArgumentMovesNothing) {
  const auto f = compile([](const Tensor& x) { return transpose(x, 0, 1); });
  const BenchmarkResult r = benchmark(f, {.fusions = {Fusion::all}, .rounds = few}, counting({5, 6}));
  EXPECT_EQ(r.argument_bytes, 120);
  EXPECT_EQ(r.result_bytes, 0);
  EXPECT_EQ(r.ways.at(0).launches, 0);
}

}  // namespace
}  // namespace sinter::test
