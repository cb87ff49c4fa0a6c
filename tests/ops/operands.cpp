// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/operands.h"

#include <limits>
#include <random>

namespace sinter::test {
namespace {

double special_value(size_t i) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double values[] = {0.0, -0.0, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1.0};
  return values[i % std::size(values)];
}

}  // namespace

std::vector<reference::Array> sampled_operands(const graph::SampleCall& call, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(call.low, call.high);
  std::vector<reference::Array> operands;
  for (const graph::ValueType& t : call.operands) {
    Dims shape;
    for (graph::Expr e : t.shape) shape.push_back(e.constant().value());
    std::vector<double> values(static_cast<size_t>(shape.product()));
    for (size_t i = 0; i < values.size(); ++i) {
      const bool special = t.dtype.is_floating() && call.low < 0 && i % 5 == 3;
      values[i] = special ? special_value(i / 5) : value(random);
    }
    operands.push_back(reference::Array::of(t.dtype, shape, values));
  }
  return operands;
}

}  // namespace sinter::test
