// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dims.h>

#include <cstdint>
#include <span>

#include "src/graph/graph.h"

namespace sinter::graph {

/// The values of a graph's symbols in one call.
class Binding {
 public:
  explicit Binding(std::span<const int64_t> symbols) : symbols_(symbols) {}

  int64_t value(Expr e) const;
  Dims shape(const ValueType& type) const;
  /// The node with literal extents and numbers.
  Node literal(const Node& node) const;

 private:
  std::span<const int64_t> symbols_;
};

}  // namespace sinter::graph
