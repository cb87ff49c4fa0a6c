// SPDX-License-Identifier: Apache-2.0
// Independent small results of one function are one launch.
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Tensors = std::vector<Tensor>;

/// A step of AdamW for parameters of different lengths: param, grad, m and v of each.
Tensors adamw(const Tensors& t) {
  Tensors results;
  for (size_t i = 0; i < t.size(); i += 4) {
    const Tensor m = t[i + 2] + (t[i + 1] - t[i + 2]) * 0.1;
    const Tensor v = t[i + 3] * 0.999 + t[i + 1] * t[i + 1] * 0.001;
    results.push_back(t[i] * 0.99999 - m * 1e-3 / (sqrt(v) + 1e-8));
    results.push_back(m);
    results.push_back(v);
  }
  return results;
}

Tensors parameters(size_t count, int64_t more = 0) {
  Tensors t;
  for (size_t i = 0; i < count; ++i) {
    const Dims shape = i % 3 == 0 ? Dims{static_cast<int64_t>(3 + i), 5} : Dims{static_cast<int64_t>(7 * i) + more + 1};
    for (int k = 0; k < 4; ++k) t.push_back(counting(shape) / (9 + k) + 0.25);
  }
  return t;
}

void expect_equal_bits(const Tensors& got, const Tensors& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(bits<float>(got[i]), bits<float>(expected[i])) << i;
}

TEST(SmallGroups, AreOneLaunch) {
  const Tensors t = parameters(30);
  auto together = compile(adamw), apart = compile(adamw, {.fusion = Fusion::vertical}),
       reference = compile(adamw, {.backend = "reference"});
  const Explanation e = together.explain(t);
  if (e.kernels().empty()) GTEST_SKIP() << "no back end makes kernels here";
  EXPECT_EQ(e.kernels().size(), 1u);
  EXPECT_TRUE(contains(e.text(), "30 small groups that do not depend on each other share a launch")) << e.text();
  EXPECT_EQ(apart.explain(t).kernels().size(), 30u);
  const Tensors expected = reference(t);
  expect_equal_bits(together(t), expected);
  expect_equal_bits(apart(t), expected);
}

TEST(SmallGroups, ChangeNothingWhenSizesChange) {
  auto f = compile(adamw, {.dynamic = Dynamic::always}), reference = compile(adamw, {.backend = "reference"});
  for (const int64_t more : {0, 3, 64}) {
    const Tensors t = parameters(5, more);
    expect_equal_bits(f(t), reference(t));
  }
}

TEST(SmallGroups, FollowWhatTheyRead) {
  const auto chain = [](Tensor x, Tensor y) -> Tensors {
    const Tensor total = sum(x);  // its readers come after it, though others of their size came before
    return {y * 2, x + total, y + total, x * 3};
  };
  const Tensor x = counting({7, 9}), y = counting({5});
  auto f = compile(chain), reference = compile(chain, {.backend = "reference"});
  expect_equal_bits(f(x, y), reference(x, y));
}

}  // namespace
}  // namespace sinter::test
