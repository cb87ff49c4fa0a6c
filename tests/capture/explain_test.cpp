// SPDX-License-Identifier: Apache-2.0
// What explain() says, in words.
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(Explain, PromotedExtentsAndNumbersShowWhatTheyWere) {
  auto f = compile([](Tensor x, double number) { return x * number; });
  (void)f(counting({50}), 0.5);
  (void)f(counting({37}), 0.5);
  (void)f(counting({37}), 1.5);
  const auto guards = f.explain(counting({10}), 2.25).regions.at(0).guards;
  ASSERT_EQ(guards.size(), 2u);
  EXPECT_TRUE(contains(guards[0].state, "= 10 in this call; was 50, then 37 (call 2)")) << guards[0].state;
  EXPECT_EQ(guards[1].subject, "number 0");
  EXPECT_TRUE(contains(guards[1].state, "= 2.25 in this call; was 0.5, then 1.5 (call 3)")) << guards[1].state;
}

TEST(Explain, PromotedStridesShowWhatTheyWere) {
  std::vector<float> memory(64);
  auto f = compile([](Tensor x) { return x + 1; });
  auto view = [&](int64_t stride) { return from_blob(memory.data(), {3, 4}, f32, Device::cpu(), {stride, 2}); };
  (void)f(view(8));
  (void)f(view(9));
  const std::string state = f.explain(view(16)).regions.at(0).guards.at(0).state;
  EXPECT_TRUE(contains(state, "= 16 in this call; was 8, then 9 (call 2)")) << state;
}

TEST(Explain, AlwaysDynamicValuesHaveNoHistory) {
  auto f = compile([](Tensor x) { return x + 1; }, {.dynamic = Dynamic::always});
  (void)f(counting({5}));
  const std::string state = f.explain(counting({6})).regions.at(0).guards.at(0).state;
  EXPECT_TRUE(contains(state, "= 6 in this call")) << state;
  EXPECT_FALSE(contains(state, "was")) << state;
  (void)f(counting({2, 3}));
  EXPECT_TRUE(contains(f.explain(counting({6})).recompiles.at(0), "call 3: input 0: was f32 [5]"));
}

TEST(Explain, KernelsOfOneCallHaveDifferentNames) {
  auto f = compile(
      [](Tensor x) {
        Tensor y = x + 1;
        const float s = item<float>(sum(y));
        return y + 1 + (item<float>(amax(y)) - s);
      },
      {.name = "pre"});
  (void)f(counting({8}));
  const Explanation e = f.explain(counting({8}));
  ASSERT_EQ(e.breaks(), 2);
  const auto kernels = e.kernels();
  for (size_t i = 0; i < kernels.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(kernels[i].name, kernels[j].name);
  EXPECT_EQ(kernels.front().name, kernels.front().symbol);
  EXPECT_EQ(kernels.back().name, "pre.2_0");
  EXPECT_EQ(kernels.back().symbol, "pre_0");
  EXPECT_TRUE(contains(e.text(), "kernel pre.2_0  grid 1   symbol pre_0")) << e.text();
}

TEST(Explain, EqualRegionsOfOtherCallsShareTheirCode) {
  auto first = compile([](Tensor x) { return x * 7 + 1; }, {.name = "shared"});
  auto second = compile(
      [](Tensor x) {
        (void)item<float>(sum(x));
        return x * 7 + 1;
      },
      {.name = "shared"});
  (void)first(counting({12}));
  const Explanation e = second.explain(counting({12}));
  const KernelExplanation a = first.explain(counting({12})).kernels().at(0), b = e.kernels().back();
  EXPECT_EQ(a.symbol, b.symbol);
  EXPECT_NE(a.name, b.name);
  EXPECT_EQ(a.source, b.source);
  EXPECT_TRUE(b.notes.empty()) << "nothing was generated again";
}

TEST(Explain, RecompilesNameTheBreakTheyBelongTo) {
  const int line = __LINE__ + 1;
  auto f = compile([](Tensor x) { return x * item<float>(sum(x)); });
  (void)f(counting({8}));
  const auto recompiles = f.explain(counting({9})).recompiles;
  ASSERT_EQ(recompiles.size(), 2u);
  EXPECT_EQ(recompiles[0], "call 2 ([item] " + line_text(__FILE__, line) + "): input 0: dim 0 was 8, now 9");
  EXPECT_TRUE(contains(recompiles[1], "call 2: ")) << recompiles[1];
}

TEST(Explain, ARegionThatStoresSomeOfItsValuesCountsWhatTheseNeed) {
  auto f = compile([](Tensor x, Tensor y) {
    Tensor kept = y * 2 + 1;
    const float s = item<float>(sum(x));
    kept = Tensor();
    return s;
  });
  const RegionExplanation region = f.explain(counting({8}), counting({1000})).regions.at(0);
  EXPECT_EQ(region.op_count, 1) << "the sum";
  EXPECT_EQ(region.bytes, 9 * 4);
  EXPECT_EQ(region.unfused_bytes, 9 * 4);
}

TEST(Explain, EndsBeforeTheEndAreBreaksWhateverTheyAreCalled) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    synchronize(Device::cpu());
    return y * 2;
  });
  const Explanation e = f.explain(counting({8}));
  ASSERT_EQ(e.regions.size(), 2u);
  EXPECT_TRUE(e.regions[0].at_break);
  EXPECT_FALSE(e.regions[1].at_break);
}

TEST(Explain, OneIsNoPlural) {
  auto f = compile([](Tensor x) { return x + 1; });
  const std::string text = f.explain(counting({3})).text();
  EXPECT_TRUE(contains(text, "1 region, 1 kernel, 0 library calls, 0 breaks")) << text;
  EXPECT_TRUE(contains(text, "op by op: 1 op, ")) << text;
}

}  // namespace
}  // namespace sinter::test
