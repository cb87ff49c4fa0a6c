// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/lower/build.h"

namespace sinter::test {

/// A graph of joins and pads over inputs of given shapes; `make` gives its outputs.
struct JoinCase {
  std::string name;
  std::vector<DType> dtypes;
  std::vector<Dims> shapes;
  std::function<std::vector<graph::Value>(GraphBuilder& b, const std::vector<graph::Value>& inputs)> make;
  int64_t index_bound = 0;  ///< i64 inputs are indices below it

  graph::Graph literal() const;
  /// Extents (but 1, and that of a skipped operand) are symbols, one a value; `symbols` gets their values.
  graph::Graph symbolic(std::vector<int64_t>& symbols) const;
  std::vector<reference::Array> inputs() const;
};

graph::Value cat(GraphBuilder& b, std::vector<graph::Value> operands, int64_t dim);
graph::Value pad(GraphBuilder& b, graph::Value x, const Dims& pads, double value);
graph::Value slice(GraphBuilder& b, graph::Value x, int64_t dim, int64_t begin, int64_t end);

/// Joins and pads along every dim, of other dtypes, of empty operands, fused with producers and consumers of every
/// kind, over each other.
std::vector<JoinCase> join_cases();

}  // namespace sinter::test
