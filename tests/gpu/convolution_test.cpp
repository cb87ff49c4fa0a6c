// SPDX-License-Identifier: Apache-2.0
// Convolutions on a real GPU: by cuDNN, and by generated kernels where it does not compute them.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <cmath>

#include "tests/support/convolution_cases.h"

namespace sinter::test {
namespace {

const Device gpu = Device::cuda(0);

void expect_no_difference(DType dtype, bool compiled, size_t step) {
  const std::vector<ConvolutionCase> cases = convolution_cases();
  for (size_t i = 0; i < cases.size(); i += step) {
    const std::string d = difference_on(cases[i], dtype, gpu, compiled);
    EXPECT_EQ(d, "") << "case " << i << ": " << cases[i].text();
  }
}

TEST(GpuConvolution, F32GivesTheReferenceBits) { expect_no_difference(f32, true, 1); }
TEST(GpuConvolution, F16GivesTheReferenceBits) { expect_no_difference(f16, true, 1); }
TEST(GpuConvolution, Bf16GivesTheReferenceBits) { expect_no_difference(bf16, true, 1); }
TEST(GpuConvolution, GeneratedF64GivesTheReferenceBits) { expect_no_difference(f64, true, 5); }
TEST(GpuConvolution, OpByOpGivesTheReferenceBits) { expect_no_difference(f16, false, 3); }

Tensor draw(const Dims& shape, int64_t seed, DType dtype) {
  const Tensor i = arange(shape.product());
  return to(to(reshape(to(remainder(i * 7919 + seed * 104729, 2003), f32) / 1001.5f - 1, shape), dtype), gpu);
}

/// [N,C,H,W] with the channel innermost.
Tensor channels_last(const Tensor& t) { return permute(permute(t, {0, 2, 3, 1}) + 0, {0, 3, 1, 2}); }

struct Layer {
  Tensor w, mean, var, weight, bias;
  Layer frozen() const { return {freeze(w), freeze(mean), freeze(var), freeze(weight), freeze(bias)}; }
  Tensor operator()(const Tensor& x) const {
    return relu(batch_norm(conv2d(x, w, {.padding = {1}}), mean, var, weight, bias));
  }
};

Layer layer(int64_t c, DType dtype) {
  return {draw({c, c, 3, 3}, 1, dtype), draw({c}, 2, f32), draw({c}, 3, f32) * 0.25 + 1, draw({c}, 4, f32) + 2,
          draw({c}, 5, f32)};
}

TEST(GpuConvolution, IsOneCallOfCudnn) {
  auto f = compile([](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(conv2d(x, w, b)); });
  const Explanation e = f.explain(draw({2, 32, 8, 8}, 1, f16), draw({32, 32, 3, 3}, 2, f16), draw({32}, 3, f16));
  ASSERT_EQ(e.library_calls().size(), 1u) << e.text();
  EXPECT_EQ(e.library_calls()[0].library, "cudnn");
  EXPECT_EQ(e.kernels().size(), 0u) << e.text();
}

// A NaN of the input is in every result that its window covers, rectified or not.
TEST(GpuConvolution, NaNStays) {
  auto f = compile(
      [](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(conv2d(x, w, b, {.padding = {1}})); });
  for (const DType t : {f16, f32})
    for (const bool last : {false, true}) {
      std::vector<float> values(static_cast<size_t>(2 * 32 * 8 * 8), 1);
      values[2 * 32 * 64 - 1] = NAN;
      Tensor x = to(to(from(values, {2, 32, 8, 8}), t), gpu);
      if (last) x = channels_last(x);
      const auto y = to_vector<float>(to(f(x, draw({32, 32, 3, 3}, 2, t), draw({32}, 3, t)), f32));
      EXPECT_EQ(std::ranges::count_if(y, [](float v) { return std::isnan(v); }), 32 * 4) << t.name() << last;
    }
}

TEST(GpuConvolution, AFrozenLayerIsOneCallOfCudnn) {
  const Layer plain = layer(32, f16), frozen = plain.frozen();
  auto unfolded = compile([&](const Tensor& x) { return plain(x); });
  auto folded = compile([&](const Tensor& x) { return frozen(x); });
  const Tensor x = channels_last(draw({4, 32, 14, 14}, 6, f16));
  const Explanation e = folded.explain(x);
  EXPECT_EQ(e.library_calls().size(), 1u) << e.text();
  EXPECT_EQ(e.kernels().size(), 0u) << e.text();
  const Tensor a = unfolded(x), b = folded(x);
  EXPECT_EQ(a.strides(), b.strides());
  EXPECT_EQ(b.strides(), x.strides());
  const auto p = to_vector<float>(to(a, f32)), q = to_vector<float>(to(b, f32));
  double largest = 0, worst = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    largest = std::max(largest, std::fabs(double{p[i]}));
    worst = std::max(worst, std::fabs(double{p[i]} - double{q[i]}));
  }
  EXPECT_GT(largest, 1);
  EXPECT_LT(worst, largest * 0x1p-9);  // both round to f16 more than once on the way
}

}  // namespace
}  // namespace sinter::test
