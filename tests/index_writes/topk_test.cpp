// SPDX-License-Identifier: Apache-2.0
// The first elements of rows, selected or sorted as their number asks, are those of the whole order.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "tests/capture/support.h"
#include "tests/index_writes/device.h"

namespace sinter::test {
namespace {

using Numbers = std::vector<double>;

Numbers random_values(int64_t count, uint64_t distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  Numbers v(static_cast<size_t>(count));
  for (double& x : v) x = static_cast<double>(random() % distinct) - static_cast<double>(distinct / 2);
  return v;
}

void expect_first(const Tensor& x, int64_t k, bool largest = true, int64_t dim = -1) {
  SCOPED_TRACE(std::string(x.dtype().name()) + x.shape().text() + " k " + std::to_string(k) +
               (largest ? "" : " smallest"));
  const Tensor all = argsort(x, {.dim = dim, .descending = largest});
  const auto expected = to_vector<int64_t>(narrow(all, dim, 0, k));
  EXPECT_EQ(to_vector<int64_t>(topk(x, k, {.dim = dim, .largest = largest}).indices), expected);
  const Sorted there = topk(to(x, cuda_device()), k, {.dim = dim, .largest = largest});
  EXPECT_EQ(to_vector<int64_t>(to(there.indices, Device::cpu())), expected);
  const Tensor values = to(to(there.values, Device::cpu()), f64),
               same = to(gather(x, dim, narrow(all, dim, 0, k)), f64);
  EXPECT_EQ(bits<double>(nan_to_num(values, {.nan = 0.5})), bits<double>(nan_to_num(same, {.nan = 0.5})));
}

TEST(Topk, ShortRows) {
  expect_first(zeros({3, 0}), 0);
  for (const int64_t n : {1, 2, 31, 32, 33, 1023, 1024, 1025}) {
    const Tensor x = to(from(random_values(2 * n, 40, 1), {2, n}), f32);
    for (const int64_t k : {int64_t{0}, int64_t{1}, n / 2, n}) expect_first(x, k);
  }
}

TEST(Topk, RowsThatAreSelectedFrom) {
  const Tensor x = to(from(random_values(3 * 4099, 1 << 20, 2), {3, 4099}), f32);  // rows begin anywhere
  for (const int64_t k : {1, 64, 512}) expect_first(x, k);
  expect_first(x, 513);  // sorted whole, in memory
  expect_first(x, 4099, false);
  expect_first(to(from(random_values(3000, 300, 3), {3000}), f32), 7);
}

TEST(Topk, LongRowsAreInPieces) {
  expect_first(to(from(random_values(65537, 1 << 24, 4), {65537}), f32), 64);
  expect_first(to(from(random_values(2 * 32771, 9, 5), {2, 32771}), f32), 900);
}

TEST(Topk, EveryKindOfKey) {
  for (const DType t : {boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64})
    expect_first(to(from(random_values(2 * 2051, 200, 6), {2, 2051}), t), 20, t != i16 && t != f64);
}

TEST(Topk, TiesNansAndZeros) {
  const int64_t n = 5000;  // more equal ones than shared memory has room for
  Numbers equal(static_cast<size_t>(n), 3.0), nans(static_cast<size_t>(n), NAN), zero(static_cast<size_t>(n)),
      few(zero), up(zero);
  for (size_t i = 0; i < zero.size(); ++i) zero[i] = i % 3 == 0 ? -0.0 : 0.0;
  for (size_t i = 0; i < few.size(); ++i) few[i] = i % 2 == 0 ? NAN : i % 7 == 0 ? INFINITY : -INFINITY;
  std::iota(up.begin(), up.end(), -1000.0);
  const Numbers down(up.rbegin(), up.rend());
  for (const Numbers& row : {equal, nans, zero, few, up, down}) {
    expect_first(to(from(row, {n}), f32), 100);
    expect_first(to(from(row, {n}), f32), 100, false);
  }
}

TEST(Topk, LaterTiesAreLeftOut) {
  Numbers v(8192, 1.0);  // thousands are equal, of which some are taken, behind a few that are larger
  for (const size_t i : {size_t{17}, size_t{4095}, size_t{8191}}) v[i] = 2;
  for (size_t i = 0; i < 3000; ++i) v[i] = 0;
  expect_first(to(from(v, {8192}), f32), 50);
}

TEST(Topk, AnyDim) { expect_first(to(from(random_values(3 * 2500 * 2, 77, 8), {3, 2500, 2}), f32), 5, false, 1); }

TEST(Topk, ExtentsMayChange) {
  int64_t k = 3;
  auto f = compile([&](const Tensor& t) { return topk(t * 2, k).indices; }, {.dynamic = Dynamic::always});
  for (const int64_t n : {2100, 30, 2999}) {
    const Tensor x = to(from(random_values(2 * n, 50, 9), {2, n}), f32);
    for (k = 2; k < 12; k += 4)
      EXPECT_EQ(to_vector<int64_t>(f(to(x, cuda_device()))), to_vector<int64_t>(topk(x, k).indices)) << n << ' ' << k;
  }
}

TEST(Topk, IsReplayedInAGraph) {
  const Device gpu = cuda_device();
  device::Backend& backend = device::backend(gpu);
  const Numbers v = random_values(40000, 1 << 20, 10);
  const Tensor x = to(to(from(v, {40000}), f32), gpu), y = to(zeros({40000}), gpu);
  auto f = compile([](const Tensor& t) { return topk(t, 30).indices; });
  const auto expected = to_vector<int64_t>(f(x));
  (void)f(y);
  backend.synchronize_all();
  const Stream stream = Stream::create(gpu);
  const StreamGuard guard(stream);
  backend.begin_capture(stream.native());
  Tensor found = f(y);
  const auto graph = backend.end_capture(stream.native());
  copy_(y, x);
  backend.launch_graph(graph, stream.native());
  EXPECT_EQ(to_vector<int64_t>(found), expected);
  found.reset();
  backend.destroy_graph(graph);
}

}  // namespace
}  // namespace sinter::test
