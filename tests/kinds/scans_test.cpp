// SPDX-License-Identifier: Apache-2.0
// Scans as programs call them: dtypes, NaN, ties, infinities, nothing, 0-d tensors, refusals.
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <cmath>
#include <limits>

#include "tests/kinds/everywhere.h"

namespace sinter::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(ScanKinds, IntegersAndBooleansAddInI64) {
  for (const DType t : {boolean, i16, u32}) {
    const auto runs = everywhere([](const Tensors& x) -> Tensors { return {cumsum(x[0], 0), cumprod(x[0], -1)}; },
                                 {tensor_of_integers(t, {1, 1, 0, 1, 1})});
    expect_everywhere(runs, 0, tensor_of_integers(i64, {1, 2, 2, 3, 4}));
    expect_everywhere(runs, 1, tensor_of_integers(i64, {1, 1, 0, 0, 0}));
  }
  const auto wide = everywhere([](const Tensors& x) -> Tensors { return {cumsum(x[0], 0)}; },
                               {tensor_of_integers(u8, std::vector<int64_t>(300, 255))});
  std::vector<int64_t> sums;
  for (int64_t i = 1; i <= 300; ++i) sums.push_back(255 * i);
  expect_everywhere(wide, 0, tensor_of_integers(i64, sums));
}

// In f16, 2048 + 1 is 2048: a sum that was rounded at each step would stand still.
TEST(ScanKinds, HalvesAreRoundedOnce) {
  std::vector<double> ones(3000, 1), sums;
  for (int i = 1; i <= 3000; ++i) sums.push_back(i);
  const auto runs = everywhere([](const Tensors& x) -> Tensors { return {cumsum(x[0], 0)}; }, {tensor_of(f16, ones)});
  expect_everywhere(runs, 0, tensor_of(f16, sums));
}

TEST(ScanKinds, ExtremesTakeTheLastOfEqualsAndEveryNan) {
  const auto check = [](const std::vector<double>& x, const std::vector<double>& largest,
                        const std::vector<int64_t>& at, const std::vector<double>& smallest,
                        const std::vector<int64_t>& below) {
    for (const DType t : {f16, f32, f64}) {
      const auto runs = everywhere(
          [](const Tensors& v) -> Tensors {
            const Extreme hi = cummax(v[0], 0), lo = cummin(v[0], 0);
            return {hi.values, hi.indices, lo.values, lo.indices};
          },
          {tensor_of(t, x)});
      expect_everywhere(runs, 0, tensor_of(t, largest));
      expect_everywhere(runs, 1, tensor_of_integers(i64, at));
      expect_everywhere(runs, 2, tensor_of(t, smallest));
      expect_everywhere(runs, 3, tensor_of_integers(i64, below));
    }
  };
  check({1, 3, 3, not_a_number, 5, not_a_number, 2}, {1, 3, 3, not_a_number, not_a_number, not_a_number, not_a_number},
        {0, 1, 2, 3, 3, 5, 5}, {1, 1, 1, not_a_number, not_a_number, not_a_number, not_a_number},
        {0, 0, 0, 3, 3, 5, 5});
  check({0.0, -0.0, 0.0, 3, -infinity, -infinity}, {0.0, -0.0, 0.0, 3, 3, 3}, {0, 1, 2, 3, 3, 3},
        {0.0, -0.0, 0.0, 0.0, -infinity, -infinity}, {0, 1, 2, 2, 4, 5});
  const auto flags =
      everywhere([](const Tensors& v) -> Tensors { return {cummax(v[0], 0).values, cummin(v[0], 0).indices}; },
                 {tensor_of(boolean, {0, 1, 0, 1, 0})});
  expect_everywhere(flags, 0, tensor_of(boolean, {0, 1, 1, 1, 1}));
  expect_everywhere(flags, 1, tensor_of_integers(i64, {0, 0, 2, 2, 4}));
}

TEST(ScanKinds, ExponentialsOfInfinitiesAreNoNan) {
  const auto run = [](const std::vector<double>& x, const std::vector<double>& right) {
    for (const DType t : {f16, f32}) {
      const auto runs =
          everywhere([](const Tensors& v) -> Tensors { return {logcumsumexp(v[0], 0)}; }, {tensor_of(t, x)});
      expect_everywhere(runs, 0, tensor_of(t, right));
    }
  };
  run({-infinity, -infinity, -infinity}, {-infinity, -infinity, -infinity});
  run({-infinity, -0.0, -infinity, infinity, -infinity, 3, infinity},
      {-infinity, -0.0, -0.0, infinity, infinity, infinity, infinity});
  run({2, not_a_number, 3, infinity}, {2, not_a_number, not_a_number, not_a_number});
  run({1000, -1000, 1000 - 100}, {1000, 1000, 1000});
}

TEST(ScanKinds, NothingAndScalars) {
  const auto all = [](const Tensors& x) -> Tensors {
    return {cumsum(x[0], -1), cumprod(x[0], 0), cummax(x[0], 0).values, cummin(x[0], -1).indices,
            logcumsumexp(x[0], 0)};
  };
  const auto scalar = everywhere(all, {full({}, 3.0, f32)});
  for (const size_t i : {0u, 1u, 2u, 4u}) expect_everywhere(scalar, i, full({}, 3.0, f32));
  expect_everywhere(scalar, 3, full({}, 0, i64));
  for (const Dims& shape : {Dims{0}, Dims{3, 0}, Dims{0, 3}}) {
    const auto nothing = everywhere(all, {zeros(shape, f32)});
    for (const size_t i : {0u, 1u, 2u, 4u}) expect_everywhere(nothing, i, zeros(shape, f32));
    expect_everywhere(nothing, 3, zeros(shape, i64));
  }
}

TEST(ScanKinds, Refusals) {
  EXPECT_THROW(cumsum(zeros({2, 3}, f32), 2), UserError);
  EXPECT_THROW(cummax(zeros({2, 3}, f32), -3), UserError);
  EXPECT_THROW(cumprod(zeros({}, f32), 1), UserError);
  EXPECT_THROW(logcumsumexp(zeros({2}, i32), 0), UserError);
}

}  // namespace
}  // namespace sinter::test
