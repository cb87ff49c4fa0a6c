// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/graph/graph.h"

namespace sinter::reference {

/// Symbols replaced by their values: the extent, or the bits of the promoted number.
class Binding {
 public:
  explicit Binding(std::span<const int64_t> symbols) : symbols_(symbols) {}

  int64_t value(graph::Expr e) const;
  Dims shape(const graph::ValueType& type) const;
  graph::Node literal(const graph::Node& node) const;

 private:
  std::span<const int64_t> symbols_;
};

}  // namespace sinter::reference
