// SPDX-License-Identifier: Apache-2.0
// The dtype of every binary op over all pairs of dtypes, as tensors with dims, 0-d tensors and numbers, against
// PyTorch's.
#include <gtest/gtest.h>

#include "tests/ops/build.h"
#include "tests/ops/golden.h"

namespace sinter {
namespace {

std::string result_dtype(std::string_view op, const std::vector<graph::ValueType>& operands,
                         graph::CallAttributes attributes) {
  if (op == "pow") attributes.integer(0);
  try {
    const graph::Graph g = test::one_op(op, operands, attributes);
    return std::string(g.node(g.size() - 1).results[0].dtype.name());
  } catch (const UserError&) {
    return "-";
  }
}

graph::Number number_named(std::string_view kind) {
  if (kind == "boolean") return graph::Number::of(true);
  return kind == "integer" ? graph::Number::of(3) : graph::Number::of(0.5);
}

Dims shape_of(char weight) { return weight == 'z' ? Dims{} : Dims{2}; }

/// Where the library refuses on purpose what PyTorch happens to accept, or the other way round.
bool is_exempt(std::string_view op, std::string_view expected, std::string_view got) {
  // PyTorch copies a boolean tensor for pow(x, True); here no power of booleans is boolean.
  return op == "pow" && expected == "boolean" && got == "-";
}

class Promotion : public testing::TestWithParam<std::string> {};

TEST_P(Promotion, AgreesWithPyTorch) {
  int compared = 0;
  for (const auto& line : golden::read(GetParam())) {
    const std::string &op = line[0], &form = line[1];
    const bool with_number = form.size() > 2;
    const size_t count = std::size(all_dtypes);
    ASSERT_EQ(line.size() - 2, with_number ? count : count * count);
    for (size_t i = 0; i + 2 < line.size(); ++i) {
      const std::string& expected = line[i + 2];
      if (expected == "?") continue;
      const DType left = all_dtypes[with_number ? i : i / count];
      std::vector<graph::ValueType> operands{test::type(left, shape_of(form[0]))};
      graph::CallAttributes attributes;
      attributes.flag(false).flag(with_number);
      if (with_number)
        attributes.number(number_named(form.substr(2)));
      else
        operands.push_back(test::type(all_dtypes[i % count], shape_of(form[1])));
      const std::string got = result_dtype(op, operands, attributes);
      ++compared;
      if (is_exempt(op, expected, got)) continue;
      EXPECT_EQ(got, expected) << op << " " << form << " of " << left.name() << " and "
                               << (with_number ? "a number" : all_dtypes[i % count].name());
    }
  }
  EXPECT_GT(compared, 8000);
}

INSTANTIATE_TEST_SUITE_P(Golden, Promotion, testing::Values("promotion", "pointwise_promotion"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sinter
