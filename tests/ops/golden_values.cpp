// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/golden_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "src/reference/interpret.h"
#include "tests/ops/build.h"
#include "tests/ops/golden.h"

namespace sinter::golden {

using reference::Array;

Array array_of(DType dtype, const Dims& shape, const std::vector<std::string>& words, size_t first) {
  Array a = Array::zeros(dtype, shape);
  for (int64_t i = 0; i < a.size(); ++i) {
    const uint64_t element = bits(words.at(first + static_cast<size_t>(i)));
    std::memcpy(a.data.data() + i * dtype.bytes(), &element, static_cast<size_t>(dtype.bytes()));
  }
  return a;
}

uint64_t storage_bits(const Array& a, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, a.data.data() + i * a.dtype.bytes(), static_cast<size_t>(a.dtype.bytes()));
  return bits;
}

std::optional<Array> run(std::string_view op, const std::vector<Array>& operands,
                         const graph::CallAttributes& attributes) {
  std::vector<graph::ValueType> types;
  for (const Array& a : operands) types.push_back(test::type(a.dtype, a.shape));
  try {
    return reference::interpret(test::one_op(op, types, attributes), operands).at(0);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

void compare(const std::optional<Array>& got, const std::vector<std::string>& words, size_t first,
             Tolerance tolerance) {
  const std::string& expected = words[first];
  if (expected == "?") return;
  ASSERT_EQ(!got, expected == "-");
  if (!got) return;
  ASSERT_EQ(got->dtype.name(), expected);
  ASSERT_EQ(static_cast<size_t>(got->size()), words.size() - first - 1);
  const Array golden = array_of(got->dtype, got->shape, words, first + 1);
  for (int64_t i = 0; i < got->size(); ++i) {
    if (words[first + 1 + static_cast<size_t>(i)] == "?") continue;
    const double a = scalar::as_double(golden.at(i)), b = scalar::as_double(got->at(i));
    if (std::abs(a - b) < tolerance.absolute) continue;
    EXPECT_TRUE(
        close(got->dtype, storage_bits(golden, i), storage_bits(*got, i), tolerance.ulps, tolerance.zeros_alike))
        << "element " << i << ": " << a << " against " << b;
  }
}

graph::Number number_of(const std::string& text) {
  if (text == "True" || text == "False") return graph::Number::of(text == "True");
  if (text.find_first_of(".ein") == std::string::npos) return graph::Number::of(std::stoll(text));
  return graph::Number::of(std::stod(text));
}

}  // namespace sinter::golden
