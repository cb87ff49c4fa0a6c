// SPDX-License-Identifier: Apache-2.0
// Reductions and norms of what breaks them: long rows of ones, rows that are masked altogether, numbers whose squares
// overflow their dtype, ties, signed zeros, NaN,
// targets that do not exist.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/kinds/everywhere.h"

namespace sinter::test {
namespace {

constexpr double row_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double row_infinity = std::numeric_limits<double>::infinity();

Tensor matrix(DType dtype, const std::vector<double>& values, int64_t rows) {
  return reshape(tensor_of(dtype, values), {rows, static_cast<int64_t>(values.size()) / rows});
}

// Added one by one, 2^24 + 1 is 2^24 in f32, and 256 + 1 is 256 in bf16.
TEST(FoldValues, AMillionOnesAndMore) {
  const Tensor x = ones({1, int64_t{1} << 24});
  const auto runs = everywhere(
      [](const Tensors& in) -> Tensors {
        return {sum(in[0], {.dims = {1}}), mean(in[0], {.dims = {1}}), var(in[0], {.dims = {1}})};
      },
      {x});
  expect_everywhere(runs, 0, tensor_of(f32, {0x1p24}));
  expect_everywhere(runs, 1, tensor_of(f32, {1}));
  expect_everywhere(runs, 2, tensor_of(f32, {0}));
  const auto half = everywhere([](const Tensors& in) -> Tensors { return {sum(in[0], {.dims = {0}})}; },
                               {to(ones({70000, 2}), bf16)});
  expect_everywhere(half, 0, tensor_of(bf16, {70000, 70000}));
}

/// Rows of `length`, some of them masked by -inf, and the same without those.
struct Masked {
  Tensor all, others;
};
Masked masked_rows(int64_t length) {
  std::vector<double> all, others;
  for (int r = 0; r < 6; ++r) {
    const bool masked = r == 1 || r == 2 || r == 5;
    for (int64_t i = 0; i < length; ++i) {
      const double v = static_cast<double>((i * 37 + r * 11) % 101) / 16 - 3;
      all.push_back(masked ? -row_infinity : v);
      if (!masked) others.push_back(v);
    }
  }
  return {matrix(f32, all, 6), matrix(f32, others, 3)};
}

Tensors of_rows(const Tensor& x) {
  return {softmax(x, 1), log_softmax(x, 1), reshape(logsumexp(x, {.dims = {1}}), {-1, 1}),
          layer_norm(x, {x.shape()[1]}), reshape(amax(x, {.dims = {1}}), {-1, 1})};
}

// PyTorch: NaN where a maximum of -inf is subtracted from -inf, -inf for the logarithm of a sum of nothing.
TEST(FoldValues, MaskedRowsDoNotDisturbTheirNeighbours) {
  const double of_masked[] = {row_nan, row_nan, -row_infinity, row_nan, -row_infinity};
  for (const int64_t length : {3, 1000, 1500, 5000}) {
    SCOPED_TRACE(length);
    const Masked rows = masked_rows(length);
    const auto runs = everywhere([](const Tensors& in) { return of_rows(in[0]); }, {rows.all});
    const auto alone = everywhere([](const Tensors& in) { return of_rows(in[0]); }, {rows.others});
    for (size_t i = 0; i < std::size(of_masked); ++i) {
      const Tensor part = alone[1].results[i];
      const Tensor masked = full({1, part.shape()[1]}, of_masked[i], f32);
      expect_everywhere(
          runs, i, cat({slice(part, 0, 0, 1), masked, masked, slice(part, 0, 1, 2), slice(part, 0, 2, 3), masked}));
    }
  }
}

TEST(FoldValues, LossesOfMaskedRowsDoNotDisturbTheirNeighbours) {
  const Masked rows = masked_rows(1100);
  const auto losses = [](const Tensors& in) -> Tensors {
    return {cross_entropy(in[0], in[1], {.reduction = Reduction::none})};
  };
  const auto runs = everywhere(losses, {rows.all, tensor_of_integers(i64, {0, 5, 1099, 7, 1024, 3})});
  const Tensor part = everywhere(losses, {rows.others, tensor_of_integers(i64, {0, 7, 1024})})[1].results[0];
  const Tensor nan = full({1}, row_nan, f32);
  expect_everywhere(runs, 0, cat({slice(part, 0, 0, 1), nan, nan, slice(part, 0, 1, 2), slice(part, 0, 2, 3), nan}));
}

// 300^2 is 90000, f16 ends at 65504; 1024 of them pass it 1400 times.
TEST(FoldValues, SquaresOfHalvesDoNotOverflow) {
  std::vector<double> values(3 * 1024);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 != 0 ? 300 : -300;
  const Tensor x = matrix(f16, values, 3);
  std::vector<double> signs(values.size());
  for (size_t i = 0; i < signs.size(); ++i) signs[i] = i % 2 != 0 ? 1 : -1;
  const auto runs = everywhere(
      [](const Tensors& in) -> Tensors {
        return {layer_norm(in[0], {1024}), rms_norm(in[0], {1024}), vector_norm(in[0], {.dims = {1}}),
                std(in[0], {.dims = {1}, .correction = 0}), mean(in[0], {.dims = {1}})};
      },
      {x});
  expect_everywhere(runs, 0, matrix(f16, signs, 3));
  expect_everywhere(runs, 1, matrix(f16, signs, 3));
  expect_everywhere(runs, 2, tensor_of(f16, {9600, 9600, 9600}));
  expect_everywhere(runs, 3, tensor_of(f16, {300, 300, 300}));
  expect_everywhere(runs, 4, tensor_of(f16, {0, 0, 0}));
}

Tensors extremes(const Tensor& x, int64_t dim) {
  return {amax(x, {.dims = {dim}}), amin(x, {.dims = {dim}}), argmax(x, {.dim = dim}), argmin(x, {.dim = dim})};
}

// -0 < +0 for the value, but they are a tie for the index, as in PyTorch; the first one wins; NaN wins over all.
TEST(FoldValues, TiesZerosAndNanOfExtremes) {
  for (const int64_t length : {5, 700, 1030, 3000}) {
    SCOPED_TRACE(length);
    const auto n = static_cast<size_t>(length);
    std::vector<std::vector<double>> rows(4, std::vector<double>(n, 1.0));
    rows[0][n / 2] = rows[0][n - 1] = 3;  // ties
    rows[0][1] = rows[0][n - 2] = -2;
    rows[1].assign(n, -0.0);
    rows[1][n - 2] = 0.0;
    rows[2][2] = rows[2][n - 1] = row_nan;
    rows[3].assign(n, -row_infinity);
    std::vector<double> values;
    for (const auto& r : rows) values.insert(values.end(), r.begin(), r.end());
    const Tensor x = matrix(f32, values, 4);
    const auto by_rows = everywhere([](const Tensors& in) { return extremes(in[0], 1); }, {x});
    const auto by_columns = everywhere([](const Tensors& in) { return extremes(permute(in[0], {1, 0}), 0); }, {x});
    const auto middle = static_cast<int64_t>(n / 2);
    for (const auto& runs : {by_rows, by_columns}) {
      expect_everywhere(runs, 0, tensor_of(f32, {3, 0.0, row_nan, -row_infinity}));
      expect_everywhere(runs, 1, tensor_of(f32, {-2, -0.0, row_nan, -row_infinity}));
      expect_everywhere(runs, 2, tensor_of_integers(i64, {middle, 0, 2, 0}));
      expect_everywhere(runs, 3, tensor_of_integers(i64, {1, 0, 2, 0}));
    }
  }
}

// On the CPU the call says so, on CUDA the next synchronisation.
TEST(FoldValues, TargetsOutOfRangeAreErrors) {
  const Tensor x = masked_rows(40).others;
  for (const int64_t target : {40, 1 << 20, -1}) {
    SCOPED_TRACE(target);
    const Tensor targets = tensor_of_integers(i64, {0, target, 39});
    for (const std::string backend : {"reference", "sinter"})
      for (const Device device : {Device::cpu(), Device::cuda(0)}) {
        (void)everywhere([](const Tensors& in) { return in; }, {});  // the emulator is Device::cuda(0) from then on
        auto f = compile(
            [](const Tensor& v, const Tensor& t) { return cross_entropy(v, t, {.reduction = Reduction::none}); },
            {.backend = backend});
        const auto call = [&] {
          (void)f(to(x, device), to(targets, device));
          synchronize(device);
        };
        EXPECT_THROW(call(), UserError) << backend << device.text();
        const Tensor right = tensor_of_integers(i64, {0, 1, 39});
        EXPECT_FALSE(std::isnan(to_vector<float>(f(to(x, device), to(right, device)))[1])) << "and goes on";
      }
  }
}

}  // namespace
}  // namespace sinter::test
