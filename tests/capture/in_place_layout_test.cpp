// SPDX-License-Identifier: Apache-2.0
// In-place ops on channels-last tensors, and results of convolutions and products in memory of the user's.
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Floats = std::vector<float>;

/// [2,3,4,5] with the channel as innermost dim.
Tensor channels_last() { return permute(counting({2, 4, 5, 3}), {0, 3, 1, 2}); }

Tensor row_major() {
  Tensor x = zeros({2, 3, 4, 5});
  copy_(x, channels_last());
  return x;
}

void update_parts(const Tensor& x) {
  x += 1;
  const Tensor y = relu(x * 2 - 50);
  assign(select(x, 1, 1), select(y, 1, 0));
  mul_(slice(x, 2, 1, 3), sum(y, {.dims = {2}, .keepdim = true}));
}

TEST(InPlaceLayout, ChannelsLastInputs) {
  const Tensor plain = row_major();
  update_parts(plain);  // op by op, row-major
  auto f = compile(update_parts);
  for (int call = 0; call < 2; ++call) {
    const Tensor x = channels_last();
    ASSERT_EQ(x.strides(), (Dims{60, 1, 15, 3}));
    f(x);
    EXPECT_EQ(f32_values(x), f32_values(plain));
  }
  auto returned = compile([](const Tensor& t) {
    Tensor y = t * 2;
    select(y, 0, 0) += 1;
    return std::vector<Tensor>{y, select(y, 0, 0)};
  });
  const auto r = returned(channels_last());
  EXPECT_EQ(f32_values(r[0]), f32_values(returned(row_major())[0]));
  r[0] += 5;
  EXPECT_EQ(f32_values(r[1]), f32_values(select(r[0], 0, 0)));
}

TEST(InPlaceLayout, ConvolutionsIntoBuffers) {
  const Tensor w = counting({6, 3, 3, 3}) / 7;
  auto f = compile([&](const Tensor& x) { return relu(conv2d(x, w, {.padding = {1}})); });
  for (const Tensor& x : {channels_last(), row_major()}) {
    const Floats expected = f32_values(f(x));
    const Tensor memory = zeros({2, 4, 5, 6});
    for (const Tensor& out : {zeros({2, 6, 4, 5}), permute(memory, {0, 3, 1, 2})}) {
      f.into(out)(x);
      EXPECT_EQ(f32_values(out), expected);
    }
  }
}

TEST(InPlaceLayout, ProductsIntoBuffersAndParts) {
  auto f = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const Tensor a = counting({5, 7}) / 3, b = counting({7, 4}), whole = zeros({8, 6}), out = zeros({5, 4});
  const Floats expected = f32_values(f(a, b));
  f.into(out)(a, b);
  EXPECT_EQ(f32_values(out), expected);
  const Tensor part = slice(slice(whole, 0, 2, 7), 1, 1, 5);
  f.into(part)(a, b);
  EXPECT_EQ(f32_values(part), expected);
  EXPECT_EQ(item<int64_t>(sum(whole != 0)), item<int64_t>(sum(part != 0))) << "and nowhere else";
  const Explanation e = compile([&](const Tensor& x, const Tensor& y) { into(out, matmul(x, y)); }).explain(a, b);
  ASSERT_EQ(e.regions.size(), 1u);
  EXPECT_EQ(e.regions[0].kernels.size() + e.regions[0].calls.size(), 1u) << e.text();
  auto accumulate = compile([](const Tensor& to, const Tensor& x, const Tensor& y) { to += matmul(x, y); });
  accumulate(out, a, b);
  EXPECT_EQ(f32_values(out), f32_values(part * 2));
}

// What is written over it is all that counts; of the other one nothing but the shape does.
TEST(InPlaceLayout, ProductsThatNothingReads) {
  auto like = compile([](const Tensor& a) { return full_like(matmul(a, a), 3); });
  EXPECT_EQ(f32_values(like(counting({2, 2}))), Floats(4, 3));
  auto f = compile([](const Tensor& out, const Tensor& a, const Tensor& b) {
    copy_(out, matmul(a, b));
    fill_(out, 2);
  });
  const Tensor out = zeros({3, 3});
  f(out, counting({3, 3}), counting({3, 3}));
  EXPECT_EQ(f32_values(out), Floats(9, 2));
}

}  // namespace
}  // namespace sinter::test
