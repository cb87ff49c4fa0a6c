// SPDX-License-Identifier: Apache-2.0
// Division, bits, signs, classification, combinations and piecewise activations on special values of every dtype
// against PyTorch's: equal bits but where a transcendental function is inside.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/ops/golden.h"
#include "tests/ops/golden_values.h"

namespace sinter {
namespace {

using golden::Tolerance;
using reference::Array;
using Line = std::vector<std::string>;  // form, dtype of the operands, op, its numbers, expected

Tolerance pointwise_tolerance(std::string_view op, DType dtype) {
  // The smaller of two zeros is -0 here and either of them there. Softshrink of -0 is -0 there in f32 but not in f64.
  if (op == "softshrink" || op == "hardtanh" || op == "fmin" || op == "fmax" || op == "hardsigmoid" ||
      op == "hardswish")
    return {0, true};
  if (op == "glu") return {1};
  if (op == "elu") return {dtype.bits() == 16 ? 1 : 2};  // its numbers are multiplied before and after
  if (op == "tanhshrink") return {1, true, dtype == f64 ? 1e-15 : dtype == f32 ? 1e-7 : 0};
  return {};
}

/// Attributes of a call whose `arguments` are all tensors.
graph::CallAttributes attributes_of(size_t arguments, const std::string& numbers) {
  graph::CallAttributes attributes;
  for (size_t i = 0; arguments > 1 && i < arguments; ++i) attributes.flag(false);
  if (numbers == "-") return attributes;
  std::istringstream parts(numbers);
  for (std::string part; std::getline(parts, part, ',');) attributes.number(golden::number_of(part));
  return attributes;
}

class PointwiseValues : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const Line& line : golden::read("pointwise_values"))
      if (line[1] == GetParam()) lines_.push_back(line);
    ASSERT_GT(lines_.size(), 40u);
    const auto n = static_cast<int64_t>(lines_[0].size()) - 3;
    x_ = golden::array_of(*DType::parse(GetParam()), {n}, lines_[0], 3);
    column_ = row_ = x_;
    column_.shape = {n, 1};
    row_.shape = {1, n};
    reversed_ = row_;
    for (int64_t i = 0; i < n; ++i) reversed_.set(i, row_.at(n - 1 - i));
  }

  /// Every line of a form.
  void check(std::string_view form, const std::vector<Array>& operands) {
    int checked = 0;
    for (const Line& line : lines_) {
      if (line[0] != form) continue;
      SCOPED_TRACE(line[2] + " " + line[3]);
      const auto attributes = attributes_of(operands.size(), line[3]);
      golden::compare(golden::run(line[2], operands, attributes), line, 4, pointwise_tolerance(line[2], x_.dtype));
      ++checked;
    }
    EXPECT_GT(checked, 2);
  }

  std::vector<Line> lines_;
  Array x_, column_, row_, reversed_;
};

TEST_P(PointwiseValues, UnaryOps) { check("unary", {x_}); }
TEST_P(PointwiseValues, BinaryOps) { check("binary", {column_, row_}); }
TEST_P(PointwiseValues, TernaryOps) { check("ternary", {column_, row_, reversed_}); }

TEST_P(PointwiseValues, MaskedFills) {
  Array mask = Array::zeros(boolean, x_.shape);
  for (int64_t i = 0; i < mask.size(); ++i) mask.set(i, scalar::constant_bool(i % 3 != 1));
  for (const Line& line : lines_) {
    if (line[0] != "fill") continue;
    SCOPED_TRACE(line[3]);
    const auto attributes = graph::CallAttributes().flag(true).number(golden::number_of(line[3]));
    golden::compare(golden::run("masked_fill", {x_, mask}, attributes), line, 4, {});
  }
}

std::vector<std::string> names_of_dtypes() { return {std::begin(dtype_names), std::end(dtype_names)}; }

INSTANTIATE_TEST_SUITE_P(AllDTypes, PointwiseValues, testing::ValuesIn(names_of_dtypes()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sinter
