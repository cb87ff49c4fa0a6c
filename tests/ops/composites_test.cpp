// SPDX-License-Identifier: Apache-2.0
// Results of the reference for compositions of folds, and for scans, against PyTorch's, computed in f64 and rounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tests/ops/golden.h"
#include "tests/ops/golden_values.h"

namespace sinter {
namespace {

using reference::Array;
using Words = std::vector<std::string>;

/// The attributes of an op from one word a parameter.
graph::CallAttributes attributes_of(const graph::OpDef& op, const Words& words) {
  using Kind = graph::ParamKind;
  graph::CallAttributes attributes;
  for (size_t i = 0; i < op.params.size(); ++i) {
    const std::string& word = words.at(i);
    const auto list = [&] {
      const std::vector<int64_t> integers = golden::integers(word);
      return Dims(std::span<const int64_t>(integers));
    };
    switch (op.params[i].kind) {
      case Kind::integers:
        attributes.integers(list());
        break;
      case Kind::extents:
        attributes.extents(list());
        break;
      case Kind::extent:
        attributes.extent(std::stoll(word));
        break;
      case Kind::number:
        attributes.number(golden::number_of(word));
        break;
      case Kind::optional_number:
        attributes.flag(word != "none");
        if (word != "none") attributes.number(golden::number_of(word));
        break;
      default:
        attributes.integer(std::stoll(word));
    }
  }
  return attributes;
}

/// A dtype, a shape and elements, from word `at` to the next '|'.
Array read_array(const Words& line, size_t& at) {
  const auto shape = golden::integers(line.at(at + 1));
  const Array a = golden::array_of(*DType::parse(line[at]), Dims(std::span<const int64_t>(shape)), line, at + 2);
  at += 2 + static_cast<size_t>(a.size());
  return a;
}

/// Rounding in f32 or f64 adds up over a row; halves are rounded from f32.
golden::Tolerance tolerance_of(DType dtype) {
  const int64_t ulps = dtype == f16 || dtype == bf16 ? 1 : 8;
  return {ulps, true, dtype == f64 ? 1e-14 : dtype == f32 ? 2e-6 : dtype == f16 ? 1e-7 : 1e-6};
}

void agree_with_pytorch(const std::string& file) {
  ops::register_all_ops();
  std::map<std::string, int> cases;
  for (const Words& line : golden::read(file)) {
    const graph::OpDef* op = graph::find_op(line[0]);
    ASSERT_NE(op, nullptr) << line[0];
    size_t at = static_cast<size_t>(std::ranges::find(line, "|") - line.begin()) + 1;
    const Words words(line.begin() + 1, line.begin() + static_cast<std::ptrdiff_t>(at) - 1);
    std::string where = line[0];
    for (const std::string& word : words) where += " " + word;
    std::vector<Array> operands;
    const auto last = static_cast<size_t>(line.rend() - std::ranges::find(line.rbegin(), line.rend(), "|"));
    for (; at < last; ++at) {
      operands.push_back(read_array(line, at));
      where += " " + std::string(operands.back().dtype.name()) + operands.back().shape.text();
    }
    SCOPED_TRACE(where);
    const auto got = golden::run(line[0], operands, attributes_of(*op, words));
    ++cases[line[0]];
    ASSERT_EQ(got.has_value(), line[last] != "-");
    if (!got) continue;
    size_t result = last;
    const Array expected = read_array(line, result);
    ASSERT_EQ(got->shape, expected.shape);
    Words elements(line.begin() + static_cast<std::ptrdiff_t>(last), line.end());
    elements.erase(elements.begin() + 1);  // the shape
    golden::compare(got, elements, 0, tolerance_of(got->dtype));
  }
  for (const auto& [op, count] : cases) EXPECT_GT(count, 3) << op;
}

TEST(Composites, AgreeWithPyTorch) { agree_with_pytorch("composites"); }
TEST(Scans, AgreeWithPyTorch) { agree_with_pytorch("scans"); }

}  // namespace
}  // namespace sinter
