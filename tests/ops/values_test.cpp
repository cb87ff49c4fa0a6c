// SPDX-License-Identifier: Apache-2.0
// Results of the reference on special values of every dtype against PyTorch's: equal bits where IEEE decides them,
// otherwise within one unit in the last place of the correctly rounded value.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>

#include "tests/ops/golden.h"
#include "tests/ops/golden_values.h"

namespace sinter {
namespace {

using reference::Array;

using golden::array_of;
using golden::compare;
using golden::number_of;
using golden::run;
using golden::storage_bits;
using golden::Tolerance;

Dims flat(size_t n) { return {static_cast<int64_t>(n)}; }

Tolerance binary_tolerance(std::string_view op, DType dtype) {
  static const std::map<std::string_view, Tolerance> tolerances = {
      {"minimum", {0, true}}, {"maximum", {0, true}}, {"relu", {0, true}}, {"exp", {1}}, {"log", {1}}, {"tanh", {1}},
      {"erf", {1}},           {"sigmoid", {1}},       {"rsqrt", {1}},      {"pow", {1}}, {"silu", {2}}};
  // For negative x, gelu is a difference of numbers as large as x; halves are rounded from an f32 that has the digits.
  if (op.starts_with("gelu")) return {1, false, dtype == f64 ? 1e-15 : dtype == f32 ? 3e-7 : 0};
  const auto found = tolerances.find(op);
  return found == tolerances.end() ? Tolerance{} : found->second;
}

/// The structural form of pow that a number selects; the order is that of the op's parameter.
int64_t power_form(double exponent) {
  const double forms[] = {0, 1, 2, 3, -1, -2, 0.5, -0.5};
  for (size_t i = 0; i < std::size(forms); ++i)
    if (forms[i] == exponent) return static_cast<int64_t>(i) + 2;
  return exponent < 0 ? 1 : 0;
}

class Values : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const auto& line : golden::read("values")) {
      const std::string& dtype =
          line[0] == "values" || line[0] == "clamp" ? line[line[0] == "values" ? 1 : 3] : line[2];
      if (dtype == GetParam()) lines_.push_back(line);
    }
    ASSERT_GT(lines_.size(), 30u);
    values_ = array_of(*DType::parse(GetParam()), flat(lines_[0].size() - 2), lines_[0], 2);
  }
  std::vector<std::vector<std::string>> lines_;
  Array values_;
};

TEST_P(Values, BinaryOps) {
  const int64_t n = values_.size();
  Array left = values_, right = values_;
  left.shape = {n, 1};
  right.shape = {1, n};
  for (const auto& line : lines_) {
    if (line[0] != "binary") continue;
    SCOPED_TRACE(line[1] + " " + line[2]);
    auto attributes = graph::CallAttributes().flag(false).flag(false);
    if (line[1] == "pow") attributes.integer(0);
    compare(run(line[1], {left, right}, attributes), line, 3, binary_tolerance(line[1], values_.dtype));
  }
}

TEST_P(Values, UnaryOps) {
  for (const auto& line : lines_) {
    if (line[0] != "unary") continue;
    SCOPED_TRACE(line[1] + " " + line[2]);
    graph::CallAttributes attributes;
    if (line[1].starts_with("gelu")) attributes.integer(line[1] == "gelu_tanh");
    compare(run(line[1] == "gelu_tanh" ? "gelu" : line[1], {values_}, attributes), line, 3,
            binary_tolerance(line[1], values_.dtype));
  }
}

TEST_P(Values, PowersByANumber) {
  for (const auto& line : lines_) {
    if (line[0] != "power") continue;
    SCOPED_TRACE(line[1] + " " + line[2]);
    const graph::Number n = number_of(line[1]);
    const auto attributes = graph::CallAttributes().flag(false).flag(true).number(n).integer(power_form(n.as_double()));
    const bool is_floating = values_.dtype.is_floating() || n.kind == graph::Number::Kind::floating;
    compare(run("pow", {values_}, attributes), line, 3, {is_floating ? 1 : 0});
  }
}

TEST_P(Values, Clamps) {
  for (const auto& line : lines_) {
    if (line[0] != "clamp") continue;
    SCOPED_TRACE("clamp " + line[1] + " " + line[2]);
    auto attributes = graph::CallAttributes().flag(false).flag(true).number(number_of(line[1]));
    attributes.flag(true).number(number_of(line[2]));
    compare(run("clamp", {values_}, attributes), line, 4, {0, true});
  }
}

std::vector<std::string> dtype_list() {
  std::vector<std::string> names;
  for (const std::string_view name : dtype_names) names.emplace_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, Values, testing::ValuesIn(dtype_list()),
                         [](const auto& info) { return info.param; });

TEST(Casts, AgreeWithPyTorchInRange) {
  std::map<std::string, Array> sources;
  for (const auto& line : golden::read("values"))
    if (line[0] == "values") sources[line[1]] = array_of(*DType::parse(line[1]), flat(line.size() - 2), line, 2);
  for (const auto& line : golden::read("casts")) {
    SCOPED_TRACE(line[0] + " to " + line[1]);
    const DType target = *DType::parse(line[1]);
    const auto got = run("to", {sources.at(line[0])}, graph::CallAttributes().dtype(target));
    ASSERT_TRUE(got);
    ASSERT_EQ(static_cast<size_t>(got->size()), line.size() - 2);
    for (int64_t i = 0; i < got->size(); ++i) {
      const std::string& expected = line[2 + static_cast<size_t>(i)];
      if (expected == "?") continue;
      EXPECT_TRUE(golden::close(target, golden::bits(expected), storage_bits(*got, i), 0)) << "element " << i;
    }
  }
}

TEST(Casts, SaturateOutOfRange) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {1e10, -1e10, inf, -inf, nan, 255.9, 256, -0.9, -1, 300, -129, 40000};
  const std::map<std::string, std::vector<double>> expected = {
      {"u8", {255, 0, 255, 0, 0, 255, 255, 0, 0, 255, 0, 255}},
      {"i8", {127, -128, 127, -128, 0, 127, 127, 0, -1, 127, -128, 127}},
      {"u16", {65535, 0, 65535, 0, 0, 255, 256, 0, 0, 300, 0, 40000}},
      {"i16", {32767, -32768, 32767, -32768, 0, 255, 256, 0, -1, 300, -129, 32767}},
      {"u32", {4294967295, 0, 4294967295, 0, 0, 255, 256, 0, 0, 300, 0, 40000}},
      {"i32", {2147483647, -2147483648.0, 2147483647, -2147483648.0, 0, 255, 256, 0, -1, 300, -129, 40000}}};
  for (const auto& [name, numbers] : expected)
    for (const DType source : {f32, f64}) {
      SCOPED_TRACE(name);
      const DType target = *DType::parse(name);
      const auto got =
          run("to", {Array::of(source, flat(values.size()), values)}, graph::CallAttributes().dtype(target));
      for (int64_t i = 0; i < got->size(); ++i)
        EXPECT_EQ(scalar::as_double(got->at(i)), numbers[static_cast<size_t>(i)]) << values[static_cast<size_t>(i)];
    }
}

TEST(Reductions, AgreeWithPyTorch) {
  Array x;
  for (const auto& line : golden::read("reductions")) {
    if (line[0] == "operand") {
      const auto shape = golden::integers(line[2]);
      x = array_of(*DType::parse(line[1]), Dims(std::span<const int64_t>(shape)), line, 3);
      continue;
    }
    SCOPED_TRACE(line[0] + " " + std::string(x.dtype.name()) + " " + line[1] + " " + line[2]);
    const auto dims = golden::integers(line[1]), shape = golden::integers(line[4]);
    const auto got =
        run(line[0], {x}, graph::CallAttributes().integers(Dims(std::span<const int64_t>(dims))).flag(line[2] == "1"));
    ASSERT_TRUE(got);
    ASSERT_EQ(got->dtype.name(), line[3]);
    ASSERT_EQ(got->shape, Dims(std::span<const int64_t>(shape)));
    for (int64_t i = 0; i < got->size(); ++i)
      EXPECT_TRUE(golden::close(got->dtype, golden::bits(line[5 + static_cast<size_t>(i)]), storage_bits(*got, i), 0));
  }
}

}  // namespace
}  // namespace sinter
