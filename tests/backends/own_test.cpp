// SPDX-License-Identifier: Apache-2.0
// Sinter's own backends and fusion modes: one meaning, the same bits.
#include <gtest/gtest.h>
#include <sinter/backend.h>

#include "tests/capture/support.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

Tensor chain(const Tensor& x) {
  Tensor h = to(x, f16) * 0.3 + 1;
  return to(sigmoid(h - sum(to(h, f32), {.dims = {0}, .keepdim = true})), f32);
}

TEST(OwnBackends, GiveTheSameBits) {
  const Tensor x = counting({17, 23}) / 100;
  const auto expected = bits<float>(chain(x));
  for (const char* backend : {"sinter", "eager", "reference"}) {
    auto f = compile(chain, {.backend = backend});
    EXPECT_EQ(bits<float>(f(x)), expected) << backend;
    EXPECT_EQ(bits<float>(f(x)), expected) << backend;
    EXPECT_EQ(f.explain(x).regions.at(0).backend, backend);
  }
}

TEST(OwnBackends, EagerLaunchesAKernelAnOp) {
  auto f = compile([](const Tensor& x) { return relu(permute(x + 1, {1, 0}) * 2); }, {.backend = "eager"});
  const Tensor x = counting({6, 5});
  EXPECT_EQ(bits<float>(f(x)), bits<float>(relu(permute(x + 1, {1, 0}) * 2)));
  EXPECT_EQ(f.stats().launches, 3);  // a view launches nothing
  EXPECT_TRUE(contains(f.explain(x).text(), "backend eager"));
}

// Changing numbers and extents are promoted as with generated code; no entry a value.
TEST(OwnBackends, EagerAndReferenceTakeSymbols) {
  for (const char* backend : {"eager", "reference"}) {
    float scale = 0;
    auto f = compile([&](const Tensor& x) { return narrow(x, 0, 1, x.size(0) - 2) * scale; }, {.backend = backend});
    for (int i = 0; i < 7; ++i) {
      scale = static_cast<float>(i) * 0.7f;
      const Tensor x = counting({5 + 2 * i, 3});
      EXPECT_EQ(bits<float>(f(x)), bits<float>(narrow(x, 0, 1, x.size(0) - 2) * scale)) << backend;
    }
    EXPECT_LE(f.stats().compilations, 4) << backend;
  }
}

TEST(OwnBackends, EagerReportsErrorsAtTheLineOfTheOp) {
  auto f = compile([](const Tensor& x, const Tensor& i) { return gather(x, 0, i) + 1; },
                   {.name = "picks", .backend = "eager"});
  const std::string why = refusal<UserError>([&] { (void)f(counting({3}), from<int64_t>({7})); });
  EXPECT_TRUE(contains(why, "[gather]")) << why;
  EXPECT_TRUE(contains(why, "own_test.cpp:")) << why;
  EXPECT_EQ(to_vector<float>(f(counting({3}), from<int64_t>({2}))), (std::vector<float>{3}));
}

// As in eager PyTorch, whatever runs the region.
TEST(OwnBackends, ViewsOfOneValueShareMemoryAsOutputs) {
  for (const char* backend : {"sinter", "eager", "reference"}) {
    auto f = compile(
        [](const Tensor& x) {
          Tensor h = x + 1;
          return std::vector<Tensor>{h, transpose(h, 0, 1), narrow(h, 0, 1, 1)};
        },
        {.backend = backend});
    const Tensor x = counting({2, 3});
    const std::vector<Tensor> r = f(x);
    EXPECT_EQ(to_vector<float>(r[1]), (std::vector<float>{1, 4, 2, 5, 3, 6})) << backend;
    EXPECT_EQ(to_vector<float>(r[2]), (std::vector<float>{4, 5, 6})) << backend;
    static_cast<float*>(r[0].data_ptr())[3] = 50;
    EXPECT_EQ(to_vector<float>(r[1]), (std::vector<float>{1, 50, 2, 5, 3, 6})) << backend;
    EXPECT_EQ(to_vector<float>(r[2]), (std::vector<float>{50, 5, 6})) << backend;
  }
}

TEST(OwnBackends, BreaksAndKeptValuesWorkOpByOp) {
  for (const char* backend : {"eager", "reference"}) {
    auto f = compile(
        [](const Tensor& x) {
          Tensor h = x * 2, later = x - 1;
          if (item<float>(sum(h)) > 5) return h + later;
          return h - later;
        },
        {.backend = backend});
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(to_vector<float>(f(counting({3}))), (std::vector<float>{-1, 2, 5})) << backend;
      EXPECT_EQ(to_vector<float>(f(counting({2}))), (std::vector<float>{1, 2})) << backend;
    }
  }
}

TEST(OwnBackends, EveryOpRunsEagerlyAndGivesTheReferenceBits) {
  int cases = 0;
  const auto failures = compare_all_backends(Device::cpu(), "eager", 167, cases);
  for (const std::string& f : failures) ADD_FAILURE() << f;
  EXPECT_GT(cases, 25);
}

// none: every op that computes is a kernel. vertical: producers move into their readers, a kernel has one result.
// all: readers of one input share a kernel as well.
TEST(FusionModes, DecideHowManyKernels) {
  const auto two = [](const Tensor& x) {
    Tensor a = relu(x + 1), b = sigmoid(x) * 2;
    return std::pair(a, b);
  };
  const Tensor x = counting({1000}) / 500;
  const auto [a, b] = two(x);
  const std::pair<Fusion, size_t> expected[] = {{Fusion::none, 4}, {Fusion::vertical, 2}, {Fusion::all, 1}};
  for (const auto& [fusion, kernels] : expected) {
    auto f = compile(two, {.fusion = fusion});
    const auto [c, d] = f(x);
    EXPECT_EQ(bits<float>(c), bits<float>(a));
    EXPECT_EQ(bits<float>(d), bits<float>(b));
    EXPECT_EQ(f.explain(x).kernels().size(), kernels) << static_cast<int>(fusion);
    EXPECT_EQ(f.stats().launches, static_cast<int64_t>(2 * kernels));
  }
}

TEST(FusionModes, ReductionsTakeTheirProducersInExceptWithNone) {
  const auto fold = [](const Tensor& x) { return sum(x * x + 1, {.dims = {1}}) * 0.5f; };
  const Tensor x = counting({30, 40}) / 100;
  const auto expected = bits<float>(fold(x));
  const std::pair<Fusion, size_t> kernels[] = {{Fusion::none, 4}, {Fusion::vertical, 1}, {Fusion::all, 1}};
  for (const auto& [fusion, count] : kernels) {
    auto f = compile(fold, {.fusion = fusion});
    EXPECT_EQ(bits<float>(f(x)), expected);
    EXPECT_EQ(f.explain(x).kernels().size(), count) << static_cast<int>(fusion);
  }
}

}  // namespace
}  // namespace sinter::test
