// SPDX-License-Identifier: Apache-2.0
// Errors inside values that a break did not compute: reported to whoever uses the value, never lost, never early.
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

const Tensor& out_of_range() {
  static const Tensor index = from<int64_t>({5, 0});
  return index;
}
const Tensor& in_range() {
  static const Tensor index = from<int64_t>({4, 0});
  return index;
}

TEST(RecipeErrors, AnUnusedValueReportsNothing) {
  auto f = compile([](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i);
    const float s = item<float>(sum(x));
    bad = Tensor();
    return s;
  });
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(f(counting({5}), in_range()), 10.0f);
    EXPECT_EQ(f(counting({5}), out_of_range()), 10.0f);
  }
}

TEST(RecipeErrors, EveryUseOfAValueReportsItsError) {
  int reported = 0;
  auto f = compile([&](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i), good = x * 2;
    graph_break();
    for (int use = 0; use < 2; ++use) reported += !refusal<UserError>([&] { (void)to_vector<float>(bad); }).empty();
    return good;
  });
  for (int call = 1; call < 3; ++call) {
    EXPECT_EQ(to_vector<float>(f(counting({5}), out_of_range()))[4], 8.0f);
    EXPECT_EQ(reported, 2 * call);
  }
}

TEST(RecipeErrors, AnOperandReportsWhenItsRegionEnds) {
  auto f = compile([&](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i);
    graph_break();
    Tensor sum_of_both = bad + 1;
    return sum_of_both * 2;
  });
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(refusal<UserError>([&] { (void)f(counting({5}), out_of_range()); }).empty());
    EXPECT_EQ(to_vector<float>(f(counting({5}), in_range())), (std::vector<float>{10, 2}));
  }
}

TEST(RecipeErrors, WhatEscapesReportsAtTheEndAndHasNoData) {
  Tensor bad, good;
  auto f = compile([&](Tensor x, Tensor i) {
    bad = index_select(x, 0, i);
    graph_break();
    good = x + 1;
  });
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(refusal<UserError>([&] { f(counting({5}), out_of_range()); }).empty());
    EXPECT_TRUE(contains(refusal<UserError>([&] { (void)to_vector<float>(bad); }), "no data"));
    EXPECT_EQ(to_vector<float>(good)[4], 5.0f) << "another region";
  }
  f(counting({5}), in_range());
  EXPECT_EQ(to_vector<float>(bad), (std::vector<float>{4, 0}));
}

TEST(RecipeErrors, WhatABreakKeptIsComputedThoughTheLastRegionFails) {
  Tensor kept;
  auto f = compile([&](Tensor x, Tensor i) {
    kept = x + 1;
    graph_break();
    return index_select(x, 0, i);
  });
  for (int call = 0; call < 2; ++call) {
    EXPECT_FALSE(refusal<UserError>([&] { (void)f(counting({5}), out_of_range()); }).empty());
    EXPECT_EQ(f.stats().launches, call + 1);
    EXPECT_EQ(to_vector<float>(kept)[4], 5.0f);
    EXPECT_EQ(f.stats().launches, call + 1) << "it was computed when the call ended";
  }
}

TEST(RecipeErrors, AFailedRegionLeavesNoHalfComputedData) {
  Tensor bad;
  auto f = compile([&](Tensor x, Tensor i) { bad = index_select(x, 0, i); });
  for (int call = 0; call < 2; ++call) {
    EXPECT_FALSE(refusal<UserError>([&] { f(counting({5}), out_of_range()); }).empty());
    EXPECT_TRUE(contains(refusal<UserError>([&] { (void)to_vector<float>(bad); }), "no data"));
  }
}

TEST(RecipeErrors, TakingAnAddressReportsNothingButTheUseDoes) {
  std::string use;
  auto f = compile([&](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i);
    graph_break();
    *static_cast<int64_t*>(i.data_ptr()) = 0;  // too late: what reads the index has read it
    use = refusal<UserError>([&] { (void)to_vector<float>(bad); });
    return x;
  });
  for (int call = 0; call < 2; ++call) {
    (void)f(counting({5}), from<int64_t>({5, 0}));
    EXPECT_TRUE(contains(use, "tracing")) << use;
  }
}

TEST(RecipeErrors, TakingAnAddressKeepsEachValuesOwnError) {
  auto f = compile([&](Tensor x, Tensor i, Tensor j) {
    Tensor good = x + to(sum(i), f32);
    const int line = __LINE__ + 1;
    Tensor far = index_select(x, 0, i);
    Tensor further = index_select(x, 0, j);
    graph_break();
    *static_cast<int64_t*>(i.data_ptr()) = 0;
    EXPECT_EQ(to_vector<float>(good)[1], 6.0f);
    for (int use = 0; use < 2; ++use) {
      EXPECT_TRUE(contains(refusal<UserError>([&] { (void)to_vector<float>(far); }), line_text(__FILE__, line)));
      EXPECT_TRUE(
          contains(refusal<UserError>([&] { (void)to_vector<float>(further); }), line_text(__FILE__, line + 1)));
    }
    return x;
  });
  for (int call = 0; call < 2; ++call) (void)f(counting({5}), from<int64_t>({5, 0}), from<int64_t>({0, 77}));
}

TEST(RecipeErrors, ShapesThatDoNotFitAreRefusedAtTheBreak) {
  int after = 0;
  auto f = compile([&](Tensor x, Tensor y) {
    Tensor unused = x + y;
    graph_break();
    ++after;
    return x;
  });
  (void)f(counting({3}), counting({3}));
  for (int64_t n : {3, 5}) {
    const std::string text = refusal<UserError>([&] { (void)f(counting({n}), counting({n + 1})); });
    EXPECT_TRUE(contains(text, "[add]")) << text;
    EXPECT_TRUE(contains(text, "tracing")) << text;
  }
  EXPECT_EQ(after, 1);
  (void)f(counting({5}), counting({5}));
  EXPECT_EQ(after, 2);
}

}  // namespace
}  // namespace sinter::test
