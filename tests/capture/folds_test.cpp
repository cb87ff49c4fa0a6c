// SPDX-License-Identifier: Apache-2.0
// The public functions of compositions of folds: options, absent parameters, several results, refusals. At once
// and compiled.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

void expect_values(const std::function<Tensor()>& call, const Dims& shape, const std::vector<double>& expected) {
  auto literal = compile([&] { return call(); }, {.dynamic = Dynamic::never});
  for (const Tensor& y : {call(), literal()}) {
    ASSERT_EQ(y.shape(), shape);
    const std::vector<double> got = to_vector<double>(to(y, f64));
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(expected[i]) || std::isinf(expected[i]))
        EXPECT_EQ(std::isnan(got[i]) ? "nan" : std::to_string(got[i]),
                  std::isnan(expected[i]) ? "nan" : std::to_string(expected[i]));
      else
        EXPECT_NEAR(got[i], expected[i], 2e-6 * std::max(1.0, std::fabs(expected[i]))) << "element " << i;
    }
  }
}

TEST(Folds, SoftmaxOfMaskedRows) {
  const float minus = -std::numeric_limits<float>::infinity();
  const Tensor x = from<float>({minus, minus, 0, minus, 0, 0}, {3, 2});
  expect_values([&] { return softmax(x, -1); }, {3, 2}, {nan, nan, 1, 0, 0.5, 0.5});
  expect_values([&] { return logsumexp(x, {.dims = {1}}); }, {3}, {-inf, 0, std::log(2.0)});
  expect_values([&] { return log_softmax(x, 1); }, {3, 2}, {nan, nan, 0, -inf, -std::log(2.0), -std::log(2.0)});
}

TEST(Folds, HalvesOfLargeNumbersDoNotOverflow) {
  std::vector<float> values(1024);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 != 0 ? 300 : -300;
  const Tensor x = to(from<float>(values, {1, 1024}), f16);
  expect_values([&] { return vector_norm(x, {.dims = {1}}); }, {1}, {9600});
  expect_values([&] { return std(x, {.dims = {1}, .correction = 0}); }, {1}, {300});
  expect_values([&] { return slice(layer_norm(x, {1024}), 1, 0, 2); }, {1, 2}, {-1, 1});
  expect_values([&] { return slice(rms_norm(x, {1024}), 1, 0, 2); }, {1, 2}, {-1, 1});
  expect_values([&] { return slice(softmax(x, 1), 1, 0, 1); }, {1, 1}, {0});
}

TEST(Folds, SpreadsComeWithTheirMeans) {
  const Tensor x = from<float>({1, 2, 3, 6}, {2, 2});
  expect_values([&] { return var_mean(x, {.dims = {1}}).var; }, {2}, {0.5, 4.5});
  expect_values([&] { return var_mean(x, {.dims = {1}}).mean; }, {2}, {1.5, 4.5});
  expect_values([&] { return std_mean(x, {.correction = 0, .keepdim = true}).var; }, {1, 1}, {std::sqrt(3.5)});
  expect_values([&] { return var_mean(zeros({0}), {}).var; }, {}, {nan});
  expect_values([&] { return var_mean(zeros({0}), {}).mean; }, {}, {nan});
  expect_values([&] { return var(ones({1})); }, {}, {nan});
}

TEST(Folds, ExtremesHaveIndices) {
  const Tensor x = from<float>({1, 5, 5, 0, static_cast<float>(nan), static_cast<float>(nan)}, {2, 3});
  expect_values([&] { return max(x, 1).indices; }, {2}, {1, 1});
  expect_values([&] { return max(x, 1).values; }, {2}, {5, nan});
  expect_values([&] { return min(x, -1, true).indices; }, {2, 1}, {0, 1});
  expect_values([&] { return argmax(x); }, {}, {4});
  expect_values([&] { return argmin(slice(x, 0, 0, 1), {.keepdim = true}); }, {1, 1}, {0});
  expect_values([&] { return argmin(zeros({0, 3}), {.dim = 1}); }, {0}, {});
}

TEST(Folds, BatchNormReturnsRunningStatistics) {
  const Tensor x = from<float>({1, 2, 4, 3, 5, -1}, {2, 3}), mean = from<float>({1, 2, 3}), var = ones({3});
  const BatchNormTrainingOptions options{.running_mean = mean, .running_var = var, .momentum = 0.5};
  expect_values([&] { return batch_norm_training(x, options).output; }, {2, 3},
                {-0.999995, -0.999998, 0.9999992, 0.999995, 0.999998, -0.9999992});
  expect_values([&] { return batch_norm_training(x, options).running_mean; }, {3}, {1.5, 2.75, 2.25});
  expect_values([&] { return batch_norm_training(x, options).running_var; }, {3}, {1.5, 2.75, 6.75});
  EXPECT_FALSE(batch_norm_training(x).running_mean.defined());
}

TEST(Folds, EinsumAgreesWithPyTorch) {
  const Tensor a = counting({2, 3}), b = counting({3, 4}) + 1, c = counting({2, 2, 3}), s = counting({3, 3});
  const std::vector<double> product{23, 26, 29, 32, 68, 80, 92, 104};
  expect_values([&] { return einsum("ij,jk->ik", {a, b}); }, {2, 4}, product);
  expect_values([&] { return einsum("i j , j k", {a, b}); }, {2, 4}, product);
  expect_values([&] { return einsum("ij,jk->ik", {to(a, f16), to(b, f16)}); }, {2, 4}, product);
  expect_values([&] { return einsum("ii", {s}); }, {}, {12});
  expect_values([&] { return einsum("ii->i", {s}); }, {3}, {0, 4, 8});
  expect_values([&] { return einsum("ba", {a}); }, {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values([&] { return einsum("...ij,ij->...", {c, a}); }, {2}, {55, 145});
  expect_values([&] { return einsum("b...i,i", {c, select(a, 0, 0)}); }, {2, 2}, {5, 23, 14, 32});
  expect_values([&] { return einsum("...i->i", {c}); }, {3}, {18, 22, 26});
  expect_values([&] { return einsum("ij->", {to(a, i32)}); }, {}, {15});
  EXPECT_EQ(einsum("ij->", {to(a, i32)}).dtype(), i32);
}

TEST(Folds, EinsumRefusesWhatDoesNotFit) {
  const Tensor a = counting({2, 3}), b = counting({4, 2});
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("ij,jk", {a, b}); }), "dim 'j' is 3 and 4"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("ij", {a, b}); }), "1 operands are named, 2 given"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("i", {a}); }), "1 letters for operand 0 of shape [2,3]"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("ij->ii", {a}); }), "names 'i' twice"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("ij->k", {a}); }), "names 'k', which no operand has"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)einsum("i1", {a}); }), "'1' in 'i1'"));
}

TEST(Folds, IndicesBroadcast) {
  const Tensor a = counting({2, 3});
  expect_values([&] { return take_along_dim(a, from<int64_t>({2, 0}, {2, 1}), 1); }, {2, 1}, {2, 3});
  expect_values([&] { return take_along_dim(a, from<int64_t>({2, 0, 1}, {1, 3}), 1); }, {2, 3}, {2, 0, 1, 5, 3, 4});
  expect_values([&] { return take_along_dim(a, from<int64_t>({4, 0})); }, {2}, {4, 0});
  expect_values([&] { return embedding(a, from<int32_t>({1, 0, 1}, {3})); }, {3, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5});
  EXPECT_NE(refusal<UserError>([&] { (void)to_vector<float>(embedding(a, full({1}, -2, i64))); }), "");
}

TEST(Folds, PoolsTakeOneNumberForAllDims) {
  const Tensor x = counting({1, 4, 4});
  expect_values([&] { return max_pool2d(x, {2}); }, {1, 2, 2}, {5, 7, 13, 15});
  expect_values([&] { return avg_pool2d(x, {2, 2}, {.stride = {1, 2}}); }, {1, 3, 2}, {2.5, 4.5, 6.5, 8.5, 10.5, 12.5});
  expect_values([&] { return adaptive_avg_pool2d(x, {1}); }, {1, 1, 1}, {7.5});
  expect_values([&] { return adaptive_max_pool2d(x, {3, 1}); }, {1, 3, 1}, {7, 11, 15});
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)max_pool2d(x, {2, 2, 2}); }), "[max_pool2d] [2,2,2] for 2 dims"));
}

TEST(Folds, LossesRefuseWhatDoesNotFit) {
  const Tensor x = counting({2, 3});
  const auto text = [](const std::function<Tensor()>& f) { return refusal<UserError>([&] { (void)f(); }); };
  EXPECT_TRUE(contains(text([&] { return cross_entropy(x, zeros({3}, i64)); }), "expected a target of shape [2]"));
  EXPECT_TRUE(contains(text([&] { return cross_entropy(x, zeros({2}, u8)); }), "expected class indices of i32 or i64"));
  EXPECT_TRUE(
      contains(text([&] { return cross_entropy(x, zeros({2}, i64), {.label_smoothing = 2}); }), "label_smoothing 2"));
  EXPECT_TRUE(contains(text([&] { return mse_loss(x, x, {Reduction::batch_mean}); }), "no mean over a batch"));
  EXPECT_TRUE(contains(text([&] { return smooth_l1_loss(x, x, {.beta = -1}); }), "beta -1 is negative"));
  EXPECT_TRUE(contains(text([&] { return layer_norm(x, {2}); }), "normalized_shape [2] for f32 [2,3]"));
  EXPECT_TRUE(contains(text([&] { return layer_norm(to(x, i32), {3}); }), "expected a floating dtype, got i32 [2,3]"));
  EXPECT_TRUE(contains(text([&] { return group_norm(x, 2); }), "the 3 channels of f32 [2,3] are not 2 groups"));
}

// Of any number of rows, whatever the partial sums are wide: they lie in memory of a limited size.
TEST(Folds, WideColumnsOfAnyNumberOfRows) {
  for (const int64_t columns : {512, 820, 1024, 4096}) {
    auto sums = compile([](Tensor x) { return sum(x, {.dims = {0}}); });
    auto counts = compile([](Tensor x) { return sum(x > 0, {.dims = {0}}); });
    for (const int64_t rows : {1100, 1300}) {
      const Tensor x = full({rows, columns}, 2, f64);
      EXPECT_EQ(to_vector<double>(sums(x)),
                std::vector<double>(static_cast<size_t>(columns), 2.0 * static_cast<double>(rows)));
      EXPECT_EQ(to_vector<int64_t>(counts(x)), std::vector<int64_t>(static_cast<size_t>(columns), rows));
    }
  }
}

}  // namespace
}  // namespace sinter::test
