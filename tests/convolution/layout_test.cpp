// SPDX-License-Identifier: Apache-2.0
// Which results are channels-last: PyTorch's strides, whatever is compiled, and the same values as in row-major memory.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <functional>

#include "src/tensor/impl.h"
#include "tests/convolution/devices.h"

namespace sinter {
namespace {

class ChannelsLast : public test::OnDevices {
 protected:
  Tensor values(const Dims& shape) const {
    return to(to(remainder(reshape(arange(shape.product()), shape) * 7, 11) - 5, f32), device());
  }
};

/// [N,C,S...] with the channel innermost.
Tensor channels_last(const Tensor& t) {
  return t.rank() == 4 ? permute(permute(t, {0, 2, 3, 1}) + 0, {0, 3, 1, 2})
                       : permute(permute(t, {0, 2, 3, 4, 1}) + 0, {0, 4, 1, 2, 3});
}

bool is_last(const Tensor& t) { return tensor::is_channels_last(t.shape(), t.strides()) && !t.is_contiguous(); }

using Function = std::function<Tensor(const Tensor&)>;

/// Compiled and op by op: the elements of the row-major computation, in the expected order.
void expect_layout(const Function& f, const Tensor& x, bool last) {
  const auto expected = to_vector<float>(to(f(x), f32));
  const Tensor y = channels_last(x);
  ASSERT_TRUE(is_last(y));
  const Function g = compile(f);
  for (const Tensor& got : {g(y), f(y)}) {
    EXPECT_EQ(to_vector<float>(to(got, f32)), expected);
    EXPECT_EQ(is_last(got), last) << got.strides().text();
    EXPECT_EQ(got.is_contiguous(), !last);
  }
}

TEST_P(ChannelsLast, PointwiseResultsFollow) {
  const Tensor scale = values({4, 1, 1}), image = values({2, 4, 5, 3}), row = values({3}),
               one = full({}, 2, f32, device());
  expect_layout([&](const Tensor& x) { return relu(x * scale + row) * one; }, image, true);
  expect_layout([](const Tensor& x) { return to(x > 0, f16); }, image, true);
  expect_layout([](const Tensor& x) { return where(x > 1, x, 0) - x; }, image, true);
  expect_layout([](const Tensor& x) { return maximum(x, -x); }, values({2, 4, 3, 2, 3}), true);
}

TEST_P(ChannelsLast, ConvolutionsAndNormsFollow) {
  const Tensor w = values({6, 4, 3, 3}), b = values({6}), mean = values({6}), var = values({6}) + 6;
  expect_layout([&](const Tensor& x) { return conv2d(x, w, b, {.padding = {1}}); }, values({2, 4, 5, 3}), true);
  expect_layout([&](const Tensor& x) { return batch_norm(x, mean, var); }, values({2, 6, 5, 3}), true);
  expect_layout([&](const Tensor& x) { return relu(conv2d(x, w, {.stride = {2}}) + 1) * 2; }, values({2, 4, 7, 6}),
                true);
}

TEST_P(ChannelsLast, AWeightDecidesAsWell) {
  const Tensor x = values({2, 4, 5, 3}), w = values({6, 4, 3, 3});
  auto f = compile([](const Tensor& a, const Tensor& b) { return conv2d(a, b); });
  EXPECT_TRUE(is_last(f(x, channels_last(w))));
  EXPECT_EQ(to_vector<float>(f(x, channels_last(w))), to_vector<float>(f(x, w)));
  EXPECT_TRUE(f(x, w).is_contiguous());
}

TEST_P(ChannelsLast, TheFirstFullOperandDecides) {
  const Tensor a = values({2, 4, 5, 3}), b = channels_last(a);
  auto f = compile([](const Tensor& x, const Tensor& y) { return x - y * 2; });
  EXPECT_TRUE(f(a, b).is_contiguous());
  EXPECT_TRUE(is_last(f(b, a)));
  EXPECT_EQ(to_vector<float>(f(b, a)), to_vector<float>(f(a, a)));
}

TEST_P(ChannelsLast, OtherResultsAreRowMajor) {
  const Tensor image = values({2, 4, 5, 3});
  expect_layout([](const Tensor& x) { return sum(x, {.dims = {1}, .keepdim = true}) + 1; }, image, false);
  expect_layout([](const Tensor& x) { return cat({x, x}, 1); }, image, false);
  const Tensor more = values({4, 2, 4, 5, 3});
  expect_layout([&](const Tensor& x) { return relu(x) + more; }, image, false);
}

TEST_P(ChannelsLast, RunTimeExtentsKeepTheOrder) {
  const Tensor w = values({6, 4, 3, 3});
  auto f = compile([&](const Tensor& x) { return relu(conv2d(x, w) + 1); }, {.dynamic = Dynamic::always});
  auto fixed = compile([&](const Tensor& x) { return relu(conv2d(x, w) + 1); });
  for (const Dims& shape : {Dims{2, 4, 5, 6}, Dims{3, 4, 8, 7}, Dims{5, 4, 6, 11}}) {
    const Tensor y = f(channels_last(values(shape)));
    EXPECT_TRUE(is_last(y)) << y.strides().text();
    EXPECT_EQ(to_vector<float>(y), to_vector<float>(fixed(values(shape))));
  }
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST_P(ChannelsLast, IsAGuard) {
  auto f = compile([](const Tensor& x) { return x * 2; });
  const Tensor a = values({2, 4, 5, 3});
  EXPECT_TRUE(f(a).is_contiguous());
  EXPECT_TRUE(is_last(f(channels_last(a))));
  EXPECT_TRUE(f(a).is_contiguous());
  EXPECT_EQ(f.stats().compilations, 2);
  EXPECT_NE(f.explain(channels_last(a)).text().find("channels-last"), std::string::npos);
}

TEST_P(ChannelsLast, ExtentsOfOneAreRowMajor) {
  const Tensor x = values({3, 1, 4, 5}), y = permute(values({3, 4, 5, 1}), {0, 3, 1, 2});
  ASSERT_TRUE(y.is_contiguous());
  auto f = compile([](const Tensor& a) { return a * 2; });
  EXPECT_TRUE(f(x).is_contiguous());
  EXPECT_TRUE(f(y).is_contiguous());
}

INSTANTIATE_TEST_SUITE_P(Devices, ChannelsLast, testing::Bool(), test::device_name);

}  // namespace
}  // namespace sinter
