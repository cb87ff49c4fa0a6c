// SPDX-License-Identifier: Apache-2.0
// Handles alive at a break: what is stored there, what waits for its first use, and that no result depends on it.
#include <functional>
#include <stdexcept>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(Recipes, OnlyWhatIsDemandedIsComputed) {
  auto f = compile([](Tensor x) {
    Tensor unused = exp(x) + 1;
    const float s = item<float>(sum(x));
    return s;
  });
  const Tensor x = counting({64, 4});
  for (int call = 0; call < 2; ++call) {
    const Explanation e = f.explain(x);
    ASSERT_EQ(e.regions.size(), 1u);
    EXPECT_EQ(e.regions[0].stored, 1);
    EXPECT_EQ(e.regions[0].bytes, 64 * 4 * 4 + 4);
    EXPECT_EQ(e.regions[0].kept, (std::vector<std::string>{"%2 f32 [64,4]"}));
    EXPECT_EQ(e.breaks(), 1);
    EXPECT_TRUE(contains(e.text(), "kept: %2 f32 [64,4] (recipe)")) << e.text();
    EXPECT_TRUE(contains(e.text(), "stores 1 value\n")) << e.text();
  }
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Recipes, ABreakThatNeedsNothingRunsNothing) {
  auto f = compile([](Tensor x) {
    Tensor a = x + 1, b = x * 2;
    graph_break();
    a = Tensor();
    return x;
  });
  for (int call = 0; call < 3; ++call) (void)f(counting({8}));
  EXPECT_EQ(f.stats().breaks, 3);
  EXPECT_EQ(f.stats().launches, 0);
  EXPECT_EQ(f.stats().compilations, 0);
  EXPECT_EQ(f.explain(counting({8})).regions.at(0).kept.size(), 2u);
}

TEST(Recipes, WhatLaterCodeUsesIsStoredFromTheSecondCall) {
  auto f = compile([](Tensor x) {
    Tensor used = x + 1, unused = x * 3;
    const float s = item<float>(sum(x));
    return used * s;
  });
  const Tensor x = from<float>({1, 2});
  const Explanation first = f.explain(x);
  ASSERT_EQ(first.regions.size(), 3u);
  EXPECT_EQ(first.regions[0].stored, 1);
  EXPECT_EQ(first.regions[0].kept.size(), 2u);
  EXPECT_TRUE(first.regions[1].later);
  EXPECT_EQ(first.breaks(), 1);
  EXPECT_TRUE(contains(first.text(), "2 regions, ")) << first.text();
  EXPECT_TRUE(contains(first.text(), "kept before, computed for end of function")) << first.text();
  const Explanation second = f.explain(x);
  ASSERT_EQ(second.regions.size(), 2u);
  EXPECT_EQ(second.regions[0].stored, 2);
  EXPECT_EQ(second.regions[0].kept, (std::vector<std::string>{"%2 f32 [2]"}));
  EXPECT_FALSE(second.regions[0].compiled_now) << "what the recipe compiled is what the break runs now";
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{6, 9}));
  EXPECT_EQ(f.stats().compilations, 3);
  ASSERT_EQ(second.recompiles.size(), 1u);
  EXPECT_TRUE(contains(second.recompiles[0], "stores %1 as well: used after the break")) << second.recompiles[0];
}

TEST(Recipes, SeveralOperandsAreOneRun) {
  auto f = compile([](Tensor x) {
    Tensor a = x + 1, b = x * 3, c = x - 5;
    graph_break();
    return a * b + c;
  });
  const Explanation e = f.explain(from<float>({1, 2}));
  ASSERT_EQ(e.regions.size(), 3u);
  EXPECT_EQ(e.regions[0].stored, 0);
  EXPECT_EQ(e.regions[1].stored, 3);
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{2, 15}));
  EXPECT_EQ(f.stats().compilations, 2);
}

TEST(Recipes, ShapesOfKeptHandlesAreFree) {
  auto f = compile([](Tensor x) {
    Tensor t = to(transpose(x, 0, 1), i32), s = sum(x, {.dims = {0}, .keepdim = true});
    graph_break();
    EXPECT_EQ(t.shape(), (Dims{x.size(1), x.size(0)}));
    EXPECT_EQ(t.dtype(), i32);
    EXPECT_TRUE(t.device().is_cpu());
    EXPECT_EQ(s.shape(), (Dims{1, x.size(1)}));
    return x;
  });
  for (int64_t n : {2, 5, 7, 7, 1, 0, 9}) (void)f(counting({n, 3}));
  EXPECT_EQ(f.stats().launches, 0);
}

/// Breaks after chosen ops: bit i of `where` breaks after op i; kinds of breaks take turns.
Tensor with_breaks(const Tensor& x, const Tensor& index, unsigned where) {
  int op = 0;
  std::vector<Tensor> all;
  const auto step = [&](Tensor t) {
    all.push_back(std::move(t));
    const Tensor& last = all.back();
    if ((where >> op++ & 1) == 0) return;
    if (op % 3 == 0)
      (void)to_vector<float>(to(last, f32));
    else if (op % 3 == 1)
      graph_break();
    else
      (void)item<float>(sum(to(last, f32)));
  };
  step(x * 0.3 + 1);
  step(to(all[0], f16) / 7);
  step(index_select(all[1], 0, index));
  step(sum(to(all[2], f32) * 3, {.dims = {1}, .keepdim = true}));
  step(to(all[1], f32) - all[0]);
  step(transpose(all[4], 0, 1));
  step(sigmoid(all[0]) * sum(all[3]));
  return sum(all[5]) + sum(all[6], {.dims = {0}}) * amax(all[3]);
}

TEST(Recipes, BreaksChangeNoBit) {
  const Tensor x = counting({6, 5}) / 11, index = from<int64_t>({5, 0, 3});
  for (const char* backend : {"reference", "sinter"}) {
    auto f = compile(with_breaks, {.backend = backend});
    const auto expected = bits<float>(f(x, index, 0u));
    for (unsigned where = 1; where < 128; where += backend[0] == 'r' ? 1 : 9)
      for (int call = 0; call < 3; ++call) ASSERT_EQ(bits<float>(f(x, index, where)), expected) << where << " " << call;
  }
}

TEST(Recipes, ManyBreaksInALoop) {
  auto f = compile([](Tensor x) {
    Tensor state = x, sometimes = x * 2;
    for (int i = 0; i < 40; ++i) {
      state = state + 1;
      Tensor unused = state * 5;
      if (item<float>(amax(state)) > 30 && i % 8 == 0) sometimes = sometimes + state;
    }
    return sometimes;
  });
  for (int call = 0; call < 3; ++call) EXPECT_EQ(to_vector<float>(f(from<float>({0}))), (std::vector<float>{33}));
}

TEST(Recipes, BranchesUseDifferentValues) {
  auto f = compile([](Tensor x) {
    Tensor a = x + 1, b = x * 3;
    return item<float>(sum(x)) > 0 ? a * 2 : b * 2;
  });
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{4, 6}));
    EXPECT_EQ(to_vector<float>(f(from<float>({-1, -2}))), (std::vector<float>{-6, -12}));
  }
}

TEST(Recipes, ReturnedAndCapturedHandlesAreComputedAtTheEnd) {
  Tensor captured;
  auto f = compile([&](Tensor x) {
    Tensor a = x + 1;
    captured = x * 3;
    graph_break();
    Tensor b = x - 1;
    (void)item<float>(sum(b));
    return std::pair(a, b);
  });
  for (int call = 0; call < 3; ++call) {
    const auto [a, b] = f(from<float>({1, 2}));
    EXPECT_EQ(to_vector<float>(a), (std::vector<float>{2, 3}));
    EXPECT_EQ(to_vector<float>(b), (std::vector<float>{0, 1}));
    EXPECT_EQ(to_vector<float>(captured), (std::vector<float>{3, 6}));
  }
  EXPECT_EQ(f.stats().compilations, 3)
      << "what escapes the first break; the second: what it reads, then also what escapes";
}

TEST(Recipes, AnArgumentsViewThatIsKeptStillAliases) {
  const Tensor x = counting({2, 3});
  auto f = compile([](Tensor t) {
    Tensor view = transpose(t, 0, 1);
    graph_break();
    return view;
  });
  for (int call = 0; call < 2; ++call) EXPECT_EQ(f(x).data_ptr(), x.data_ptr());
}

TEST(Recipes, ExceptionsCompleteWhatEscaped) {
  Tensor escaped;
  auto f = compile([&](Tensor x, bool fail) {
    escaped = x + 1;
    Tensor dies = x * 7;
    graph_break();
    if (fail) throw std::runtime_error("mine");
    return dies;
  });
  for (int call = 0; call < 4; ++call) {
    if (call % 2 == 0)
      EXPECT_THROW((void)f(from<float>({1}), true), std::runtime_error);
    else
      EXPECT_EQ(to_vector<float>(f(from<float>({1}), false)), (std::vector<float>{7}));
    EXPECT_EQ(to_vector<float>(escaped), (std::vector<float>{2}));
  }
}

TEST(Recipes, NestedAndRecursiveFunctions) {
  auto inner = compile([](Tensor x) {
    Tensor kept = x * 2;
    graph_break();
    return std::pair(kept, x + 1);
  });
  std::function<Tensor(Tensor, int)> self;
  auto outer = compile([&](Tensor x, int depth) -> Tensor {
    const auto [a, b] = inner(x);
    return depth == 0 ? a * b : self(a, depth - 1) + b;
  });
  self = [&](Tensor x, int depth) { return outer(std::move(x), depth); };
  for (int call = 0; call < 3; ++call)
    for (int depth : {0, 2}) {
      float expected = 0, x = 3;
      for (int d = depth; d > 0; --d, x *= 2) expected += x + 1;
      expected += 2 * x * (x + 1);
      EXPECT_EQ(item<float>(outer(from<float>({3}), depth)), expected);
    }
  EXPECT_EQ(inner.stats().compilations, 0);
}

TEST(Recipes, SynchronizingAndStreamChangesComputeEverything) {
  auto f = compile([](Tensor x, int how) {
    Tensor first = x + 1;
    graph_break();
    Tensor second = x * 2;
    if (how == 0) synchronize(Device::cpu());
    if (how == 1) StreamGuard guard(Stream::create(Device::cpu()));
    return how;
  });
  int64_t launches = 0;
  for (int how : {2, 0, 1, 0, 1}) {
    (void)f(from<float>({1, 2}), how);
    EXPECT_EQ(f.stats().launches - launches, how == 2 ? 0 : 2) << how;
    launches = f.stats().launches;
  }
}

TEST(Recipes, PromotionsOutliveAChangeOfWhatIsStored) {
  bool use = false;
  auto f = compile([&](Tensor x, double number) {
    Tensor y = x * number;
    const float s = item<float>(sum(x + number));
    return use ? y + s : x;
  });
  for (int i = 0; i < 5; ++i) (void)f(counting({4 + i}), 0.5 + i);
  const int64_t before = f.stats().compilations;
  use = true;
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(
        to_vector<float>(f(from<float>(std::vector<float>(static_cast<size_t>(3 + i), 2.0f), {3 + i}), 0.5 * i)).at(2),
        static_cast<float>(i + (3 + i) * (2 + 0.5 * i)));
  EXPECT_LE(f.stats().compilations - before, 3) << "the break once, what follows at most twice";
}

}  // namespace
}  // namespace sinter::test
