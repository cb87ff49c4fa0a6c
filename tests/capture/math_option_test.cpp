// SPDX-License-Identifier: Apache-2.0
// Math::fast: what it changes, by how much, and that it is seen.
#include <cmath>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

Tensor spread(DType dtype, double low, double high, const Dims& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return to(reshape(arange(n) / static_cast<double>(n) * (high - low) + low, shape), dtype);
}

void expect_near(const Tensor& got, const Tensor& expected, double relative) {
  const auto a = to_vector<float>(to(got, f32)), b = to_vector<float>(to(expected, f32));
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], relative * std::fabs(b[i])) << i;
}

TEST(MathOption, ApproximatesFunctionsAndDivisions) {
  const auto chain = [](const Tensor& x) { return pow(sigmoid(x) * exp(x) / 3, 1 / 2.2) + gelu(x) * tanh(x); };
  for (const DType t : {f32, f16, bf16}) {
    const Tensor x = spread(t, 0.1, 4, {1000});
    const Tensor accurate = compile(chain)(x), fast = compile(chain, {.math = Math::fast})(x);
    expect_near(fast, accurate, t == f32 ? 1e-5 : t == f16 ? 4e-3 : 3e-2);
  }
  const Tensor x = spread(f32, 0.1, 4, {1000});
  EXPECT_NE(bits<float>(compile(chain)(x)), bits<float>(compile(chain, {.math = Math::fast})(x)));
}

TEST(MathOption, IsInTheExplanation) {
  auto fast = compile([](const Tensor& x) { return exp(x) / 3; }, {.math = Math::fast});
  const Explanation e = fast.explain(counting({64}));
  EXPECT_TRUE(e.regions.at(0).fast_math);
  EXPECT_TRUE(contains(e.text(), "fast math")) << e.text();
  const std::string text = compile([](const Tensor& x) { return exp(x) / 3; }).explain(counting({64})).text();
  EXPECT_FALSE(contains(text, "fast")) << text;
}

// A number is the reciprocal's argument: folded if literal, computed once if promoted.
TEST(MathOption, PromotedDivisorsGiveTheLiteralsBits) {
  const Tensor x = spread(f32, -4, 4, {1000});
  const auto divide = [](const Tensor& v, double d) { return v / d; };
  auto promoted = compile(divide, {.math = Math::fast});
  (void)promoted(x, 7.0);
  for (const double d : {3.0, 5.0, 0.7})
    EXPECT_EQ(bits<float>(promoted(x, d)), bits<float>(compile(divide, {.math = Math::fast})(x, d))) << d;
}

// softmax approximates what it takes of every element; spelled out, it does so only if asked to.
TEST(MathOption, SpelledSoftmaxIsTheCompositeUnderFastMathOfOneRounding) {
  const auto spelled = [](const Tensor& x) {
    const Tensor e = exp(x - amax(x, {.dims = {-1}, .keepdim = true}));
    return e / sum(e, {.dims = {-1}, .keepdim = true});
  };
  for (const DType t : {f32, f16, bf16}) {
    const Tensor x = spread(t, -30, 9, {7, 331});
    const auto composite = bits<float>(to(softmax(x, -1), f32));
    auto fast = compile(spelled, {.rounding = Rounding::per_kernel, .math = Math::fast});
    EXPECT_EQ(bits<float>(to(fast(x), f32)), composite) << t.name();
  }
  const Tensor x = spread(f32, -30, 9, {7, 331});
  EXPECT_NE(bits<float>(compile(spelled)(x)), bits<float>(softmax(x, -1)));
}

TEST(MathOption, SoftmaxRowsSumToOneAndFollowThePlatform) {
  const Tensor x = spread(f32, -60, 20, {5, 1000});
  const auto got = to_vector<float>(softmax(x, -1)), values = to_vector<float>(x);
  for (size_t row = 0; row < 5; ++row) {
    double sum = 0, total = 0;
    for (size_t i = 0; i < 1000; ++i) sum += std::exp(static_cast<double>(values[row * 1000 + i]));
    for (size_t i = 0; i < 1000; ++i) {
      const double exact = std::exp(static_cast<double>(values[row * 1000 + i])) / sum;
      total += got[row * 1000 + i];
      ASSERT_NEAR(got[row * 1000 + i], exact, (4 + 1.2 * 80) * 0x1p-23 * exact);
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
}

// A colour matrix for each pixel is arithmetic of the kernel around it: no call, no memory between.
TEST(MathOption, ShortProductsFuseIntoTheirNeighbours) {
  const Tensor frame = to(spread(f32, 0, 255, {2, 8, 16, 3}), u8);
  const Tensor matrix = from<float>({0.7f, 0.2f, 0.1f, 0.1f, 0.8f, 0.1f, 0.05f, 0.15f, 0.8f}, {3, 3});
  const auto by_matmul = [&](const Tensor& x) {
    return to(permute(clamp(matmul(to(x, f32) / 255, matrix), 0, 1) * 2, {0, 3, 1, 2}), f16);
  };
  const auto by_einsum = [&](const Tensor& x) {
    return to(permute(clamp(einsum("bhwc,cd->bhwd", {to(x, f32) / 255, matrix}), 0, 1) * 2, {0, 3, 1, 2}), f16);
  };
  const auto as_fold = [&](const Tensor& x) {
    const Tensor products = unsqueeze(to(x, f32) / 255, -1) * matrix;
    return to(permute(clamp(sum(products + 0, {.dims = {-2}}), 0, 1) * 2, {0, 3, 1, 2}), f16);
  };
  auto product = compile(by_matmul);
  const Explanation e = product.explain(frame);
  EXPECT_EQ(e.kernels().size(), 1u) << e.text();
  EXPECT_TRUE(e.regions.at(0).calls.empty()) << e.text();
  auto sums = compile(by_einsum);
  const Explanation s = sums.explain(frame);
  EXPECT_EQ(s.kernels().size(), 1u) << s.text();
  EXPECT_FALSE(contains(s.kernels().at(0).source, "reduce")) << s.kernels().at(0).source;
  const auto expected = bits<float>(to(compile(as_fold)(frame), f32));
  EXPECT_EQ(bits<float>(to(product(frame), f32)), expected);
  EXPECT_EQ(bits<float>(to(sums(frame), f32)), expected);
}

}  // namespace
}  // namespace sinter::test
