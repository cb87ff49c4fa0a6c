// SPDX-License-Identifier: Apache-2.0
#include "src/ops/describe.h"

#include <fmt/format.h>

namespace sinter::ops {

std::string describe(std::span<const graph::Expr> shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + shape[i].text();
  return s + "]";
}

std::string describe(const graph::ValueType& type) {
  return fmt::format("{} {}", type.dtype.name(), describe(std::span<const graph::Expr>(type.shape)));
}

std::string describe(const graph::Scalar& number) {
  if (number.symbol >= 0) return "a number";
  switch (number.literal.kind) {
    case graph::Number::Kind::boolean:
      return number.literal.bits ? "true" : "false";
    case graph::Number::Kind::integer:
      return fmt::format("{}", number.literal.bits);
    default:
      return fmt::format("{}", number.literal.as_double());
  }
}

}  // namespace sinter::ops
