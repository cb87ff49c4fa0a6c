// SPDX-License-Identifier: Apache-2.0
// Backends and benchmark() on a real GPU.
#include <gtest/gtest.h>
#include <sinter/backend.h>
#include <sinter/benchmark.h>
#include <sinter/sinter.h>

#include <vector>

namespace sinter {
namespace {

Tensor numbers(int64_t n) { return to(arange(n, {.dtype = f32}), Device::cuda(0)); }

Tensor chain(const Tensor& x) {
  Tensor h = to(x, f16) * 0.3 + 1;
  return to(sigmoid(h - sum(to(h, f32))), f32);
}

TEST(GpuBackends, GiveTheSameBits) {
  register_backend("passing on", [](const RecordedGraph& graph) { return compile_graph(graph); });
  const Tensor x = numbers(1000) / 300;
  auto generated = compile(chain);
  const std::vector<float> expected = to_vector<float>(generated(x));
  for (const char* backend : {"eager", "reference", "passing on"}) {
    auto f = compile(chain, {.backend = backend});
    const Tensor y = f(x);
    EXPECT_EQ(y.device(), Device::cuda(0));
    EXPECT_EQ(to_vector<float>(y), expected) << backend;
  }
}

TEST(GpuBackends, WriteInPlace) {
  const auto body = [](const Tensor& x) {
    x += 1;
    const Tensor part = slice(x, 0, 1, -1, 3);
    part *= sum(x);
    return part;
  };
  register_backend("passing on writes", [](const RecordedGraph& graph) { return compile_graph(graph); });
  const Tensor memory = numbers(1000) / 300;
  auto generated = compile(body);
  (void)generated(memory);
  const std::vector<float> expected = to_vector<float>(memory);
  for (const char* backend : {"eager", "reference", "passing on writes"}) {
    const Tensor x = numbers(1000) / 300;
    auto f = compile(body, {.backend = backend});
    const Tensor part = f(x);
    EXPECT_EQ(to_vector<float>(x), expected) << backend;
    EXPECT_EQ(static_cast<float*>(x.data_ptr()) + 1, part.data_ptr()) << backend;
  }
}

TEST(GpuBackends, EagerCanBeCapturedAndItsOutputsShareMemory) {
  auto f = compile(
      [](const Tensor& x) {
        Tensor h = x + 1;
        return std::pair(h, narrow(h, 0, 2, 3));
      },
      {.backend = "eager"});
  const Tensor x = numbers(8);
  const auto [a, b] = f(x);
  EXPECT_EQ(to_vector<float>(b), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(static_cast<float*>(a.data_ptr()) + 2, static_cast<float*>(b.data_ptr()));
  const BenchmarkResult r = benchmark(f, {.fusions = {Fusion::all}, .rounds = 3}, x);
  EXPECT_EQ(r.ways.at(0).captured, 1) << r.why_not_captured;
}

TEST(GpuBenchmark, TheDriverCountsTheSameLaunches) {
  const auto f = compile([](const Tensor& x) { return std::pair(relu(x + 1) * 2, sum(x * x)); }, {.name = "counted"});
  const Tensor x = numbers(int64_t{1} << 24);
  const BenchmarkResult r = benchmark(f, {.rounds = 11}, x);
  for (const BenchmarkWay& w : r.ways) {
    EXPECT_EQ(w.captured, w.launches) << w.name << " " << r.why_not_captured;
    EXPECT_GT(w.cold_compile.machine_ms, 0);
    EXPECT_GT(w.device.median, 10);  // 192 MB take more than 40 us at any speed there is
    EXPECT_LT(w.host.median, 1000);
    EXPECT_LT(w.of_copy, 2.5) << r.text();
  }
  EXPECT_GT(r.ways[0].of_copy, r.ways[2].of_copy);
}

TEST(GpuBenchmark, AFunctionThatReadsAValueIsNotCaptured) {
  const auto f = compile([](const Tensor& x) { return item<float>(sum(x)) > 0 ? x + 1 : x - 1; });
  const Tensor x = numbers(100);
  const BenchmarkResult r = benchmark(f, {.fusions = {Fusion::all}, .rounds = 3}, x);
  EXPECT_EQ(r.ways.at(0).captured, -1);
  EXPECT_FALSE(r.why_not_captured.empty());
  EXPECT_EQ(to_vector<float>(x + 1).at(1), 2);  // the failed capture harmed nothing
}

}  // namespace
}  // namespace sinter
