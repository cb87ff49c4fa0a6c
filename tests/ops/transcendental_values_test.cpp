// SPDX-License-Identifier: Apache-2.0
// Transcendental functions of special values of every dtype against PyTorch's, within one unit in the last place of the
// correctly rounded value; f64 is the platform's.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/ops/golden.h"
#include "tests/ops/golden_values.h"

namespace sinter {
namespace {

using reference::Array;
using Line = std::vector<std::string>;

golden::Tolerance transcendental_tolerance(std::string_view op, DType dtype) {
  if (dtype == f64) return {4};
  return {op == "atan2" && dtype == f32 ? 2 : 1};
}

graph::CallAttributes numbers_of(const std::string& text) {
  graph::CallAttributes attributes;
  if (text == "-") return attributes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) attributes.number(golden::number_of(part));
  return attributes;
}

class TranscendentalValues : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const Line& line : golden::read("transcendental_values"))
      if (line[line[0] == "values" ? 1 : 2] == GetParam()) lines_.push_back(line);
    ASSERT_GT(lines_.size(), 20u);
    x_ = golden::array_of(*DType::parse(GetParam()), {static_cast<int64_t>(lines_[0].size()) - 2}, lines_[0], 2);
  }
  std::vector<Line> lines_;
  Array x_;
};

TEST_P(TranscendentalValues, UnaryOps) {
  for (const Line& line : lines_) {
    if (line[0] != "unary") continue;
    SCOPED_TRACE(line[1] + " " + line[3]);
    golden::compare(golden::run(line[1], {x_}, numbers_of(line[3])), line, 4,
                    transcendental_tolerance(line[1], x_.dtype));
  }
}

TEST_P(TranscendentalValues, BinaryOps) {
  Array y = x_, x = x_;
  y.shape = {x_.size(), 1};
  x.shape = {1, x_.size()};
  for (const Line& line : lines_) {
    if (line[0] != "binary") continue;
    SCOPED_TRACE(line[1]);
    golden::compare(golden::run(line[1], {y, x}, graph::CallAttributes().flag(false).flag(false)), line, 4,
                    transcendental_tolerance(line[1], x_.dtype));
  }
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, TranscendentalValues,
                         testing::Values("boolean", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16",
                                         "f32", "f64"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sinter
