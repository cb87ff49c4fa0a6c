// SPDX-License-Identifier: Apache-2.0
// In-place ops beside what is computed once: frozen tensors, and calls whose host code does not run again.
#include <utility>
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Floats = std::vector<float>;

constexpr CompileOptions run_once{.host = Host::skip};

TEST(InPlaceFrozen, HostCodeThatDoesNotRunAgainWritesNothing) {
  const Tensor x = counting({3});
  auto f = compile(
      [](const Tensor& t) {
        t += 1;
        return t * 2;
      },
      run_once);
  for (int call = 0; call < 2; ++call) {
    const std::string refused = refusal<UserError>([&] { (void)f(x); });
    EXPECT_TRUE(contains(refused, "an in-place write; Host::skip runs the host code once")) << refused;
    EXPECT_TRUE(contains(refused, "in_place_frozen_test.cpp:")) << refused;
  }
  EXPECT_TRUE(contains(refusal<UserError>([&] { f.save("/nonexistent/file", x); }), "a saved function"));
  EXPECT_EQ(f32_values(x), (Floats{0, 1, 2}));
}

TEST(InPlaceFrozen, ResultsOfASkippingFunctionGoIntoBuffers) {
  int runs = 0;
  auto f = compile([&](const Tensor& x) { return ++runs, std::vector<Tensor>{x + 1, x * 2}; }, run_once);
  const std::vector<Tensor> out{zeros({3}), zeros({3})};
  for (int call = 0; call < 3; ++call) {
    const Tensor x = counting({3}) + static_cast<float>(call);
    f.into(out)(x);
    EXPECT_EQ(f32_values(out[0]), f32_values(x + 1));
    EXPECT_EQ(f32_values(out[1]), f32_values(x * 2));
  }
  EXPECT_EQ(runs, 1);
}

TEST(InPlaceFrozen, ViewsOfOneValueThatDoesNotLeaveItself) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = x * 2;
        return std::vector<Tensor>{x + 1, select(y, 0, 1), transpose(y, 0, 1)};
      },
      run_once);
  for (int call = 0; call < 3; ++call) {
    const auto r = f(counting({2, 3}));
    EXPECT_EQ(f32_values(r[0]), (Floats{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(f32_values(r[1]), (Floats{6, 8, 10}));
    r[1] += 100;
    EXPECT_EQ(f32_values(r[2]), (Floats{0, 106, 2, 108, 4, 110}));
  }
}

TEST(InPlaceFrozen, WritesToACapturedTensorAreSeen) {
  const Tensor w = counting({2}) * 1;
  auto f = compile([&](const Tensor& x) { return x + w; }, run_once);
  EXPECT_EQ(f32_values(f(counting({2}))), (Floats{0, 2}));
  w += 10;
  EXPECT_EQ(f32_values(f(counting({2}))), (Floats{10, 12}));
}

/// w is a multiple of ln 2, so that its exponential is a power of two within an ulp.
Floats rounded(const Tensor& t) { return f32_values(round(t)); }

TEST(InPlaceFrozen, WhatIsComputedFromFrozenTensorsFollowsWrites) {
  const Tensor w = counting({3}) * 1, frozen = freeze(w), x = ones({3});
  auto f = compile([&](const Tensor& t) { return t * exp2(frozen); });
  EXPECT_EQ(rounded(f(x)), (Floats{1, 2, 4}));
  w += 1;
  EXPECT_EQ(rounded(f(x)), (Floats{2, 4, 8}));
  zero_(slice(frozen, 0, 0, 2));
  EXPECT_EQ(rounded(f(x)), (Floats{1, 1, 8}));
}

TEST(InPlaceFrozen, ARegionThatWritesAfterItRead) {
  const Tensor w = zeros({3}) * 1, frozen = freeze(w), x = ones({3});
  auto other = compile([&](const Tensor& t) {  // by another name
    Tensor y = t * exp2(frozen);
    w += 1;
    return y;
  });
  auto itself = compile([&](const Tensor& t) {
    Tensor y = t * exp2(frozen);
    frozen += 1;
    return y;
  });
  float expected = 1;
  for (int call = 0; call < 4; ++call) {
    EXPECT_EQ(rounded(other(x)), Floats(3, expected));
    EXPECT_EQ(rounded(itself(x)), Floats(3, 2 * expected));
    expected *= 4;
  }
}

TEST(InPlaceFrozen, ResultsAreNotTheKeptConstants) {
  const Tensor w = freeze(ones({2}) * 1), x = counting({2});
  auto f = compile([&](const Tensor& t) {
    const Tensor c = w * 3;
    return std::pair(t + c, view(c, i32));
  });
  for (int call = 0; call < 3; ++call) {
    const auto [sum, bits] = f(x);
    EXPECT_EQ(f32_values(sum), (Floats{3, 4}));
    zero_(bits);
  }
}

}  // namespace
}  // namespace sinter::test
