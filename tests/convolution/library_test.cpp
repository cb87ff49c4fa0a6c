// SPDX-License-Identifier: Apache-2.0
// Who computes a convolution, and what is said where no library does.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cmath>

#include "runtime/exec/library/convolution_call.h"
#include "runtime/exec/library/provider.h"

namespace sinter {
namespace {

Explanation explained(DType t, bool rectified = false) {
  const Tensor x = full({1, 3, 6, 6}, 1, t), w = full({4, 3, 3, 3}, 1, t);
  auto f = compile([&](const Tensor& a) { return rectified ? relu(conv2d(a, w)) : conv2d(a, w); });
  return f.explain(x);
}

TEST(Libraries, OnednnComputesF32) {
  const Explanation e = explained(f32);
  const bool present = exec::find_provider("onednn", "conv2d", Device::cpu()) != nullptr;
  ASSERT_EQ(e.library_calls().size(), present ? 1u : 0u) << e.text();
  EXPECT_EQ(e.kernels().size(), present ? 0u : 1u);
  if (present) {
    EXPECT_EQ(e.library_calls()[0].library, "onednn");
  }
}

TEST(Libraries, AnActivationThatTheLibraryRefusesIsAKernelAfterIt) {
  const Explanation e = explained(f32, true);
  const bool present = exec::find_provider("onednn", "conv2d", Device::cpu()) != nullptr;
  EXPECT_EQ(e.library_calls().size(), present ? 1u : 0u) << e.text();
  EXPECT_EQ(e.kernels().size(), 1u) << e.text();
}

TEST(Libraries, OthersAreGenerated) {
  const Explanation e = explained(f64);
  EXPECT_EQ(e.library_calls().size(), 0u);
  EXPECT_EQ(e.kernels().size(), 1u) << e.text();
  if (exec::find_provider("onednn", "conv2d", Device::cpu()) != nullptr) {
    EXPECT_NE(e.text().find("onednn: not for f64"), std::string::npos) << e.text();
  }
}

TEST(Libraries, NaNStays) {
  for (const bool last : {false, true}) {
    std::vector<float> values(2 * 32 * 8 * 8, 1);
    values.back() = NAN;
    Tensor x = from(values, {2, 32, 8, 8});
    if (last) x = permute(permute(x, {0, 2, 3, 1}) + 0, {0, 3, 1, 2});
    const Tensor w = full({32, 32, 3, 3}, 1, f32);
    auto f = compile([&](const Tensor& a) { return relu(conv2d(a, w, {.padding = {1}})); });
    int count = 0;
    for (float v : to_vector<float>(f(x))) count += std::isnan(v);
    EXPECT_EQ(count, 32 * 4);
  }
}

exec::CallDescription description(bool last) {
  exec::CallDescription d;
  d.op = "conv1d";
  d.words = {1, 2, 1, 1, 1, 0, 1, 3, 2, last, 1};  // stride 2, before 1, after 0, dilation 3, 2 groups, layout, relu
  d.operands.resize(3);
  d.operands[0].shape = last ? Dims{9, 4} : Dims{4, 9};
  d.operands[1].shape = {6, 2, 2};
  d.operands[2].shape = {6};
  d.results.resize(1);
  d.results[0].shape = last ? Dims{4, 6} : Dims{6, 4};
  return d;
}

TEST(ConvolutionCall, HasABatchAndTheSpatialDimsThatALibraryWants) {
  for (const bool last : {false, true}) {
    const exec::ConvolutionCall c = exec::convolution_call(description(last), 2);
    EXPECT_EQ(c.x, (Dims{1, 4, 1, 9}));
    EXPECT_EQ(c.w, (Dims{6, 2, 1, 2}));
    EXPECT_EQ(c.y, (Dims{1, 6, 1, 4}));
    EXPECT_EQ(c.stride, (Dims{1, 2}));
    EXPECT_EQ(c.before, (Dims{0, 1}));
    EXPECT_EQ(c.after, (Dims{0, 0}));
    EXPECT_EQ(c.dilation, (Dims{1, 3}));
    EXPECT_EQ(c.groups, 2);
    EXPECT_TRUE(c.rectifies && c.has_bias);
    EXPECT_EQ(c.strides(c.x), last ? (Dims{36, 1, 36, 4}) : (Dims{36, 9, 9, 1}));
    EXPECT_FALSE(c.has_even_padding());
    EXPECT_TRUE(exec::is_literal(c));
  }
}

}  // namespace
}  // namespace sinter
