// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/ops/dispatch.h"

namespace sinter::ops {

/// Adds calls of primitive ops to a graph, for decompositions.
class GraphWriter {
 public:
  GraphWriter(graph::Graph& g, SourceLine line) : g_(g), line_(line) {}

  const graph::ValueType& type(graph::Value v) const { return g_.type(v); }

  graph::Value add(const graph::OpDef& op, std::vector<graph::Value> operands, graph::Attributes attributes) {
    return {g_.add(op, std::move(operands), std::move(attributes), line_), 0};
  }
  /// A pointwise op of two tensors, broadcast.
  template <OpName name>
  graph::Value binary(graph::Value a, graph::Value b) {
    return add(op<name>(), {a, b}, graph::literal_attributes(graph::CallAttributes().flag(false).flag(false)));
  }
  graph::Value cast(graph::Value v, DType dtype);
  graph::Value reshape(graph::Value v, std::span<const graph::Expr> shape);
  /// v [n] as [n,1,...] of that rank, to broadcast over what follows it.
  graph::Value column(graph::Value v, size_t rank);
  graph::Value permute(graph::Value v, const Dims& dims);

 private:
  graph::Graph& g_;
  SourceLine line_;
};

/// A run-time or literal extent as an attribute.
graph::Scalar extent_attribute(graph::Expr extent);

}  // namespace sinter::ops
