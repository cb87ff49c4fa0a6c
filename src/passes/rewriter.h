// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"

namespace sinter::passes {

/// Builds a graph from another, node by node in order: same name, device, symbols and inputs; each node is copied or
/// stands for values that a pass put in its place.
class Rewriter {
 public:
  /// The inputs are there already, in their order.
  explicit Rewriter(const graph::Graph& from);
  /// Only the inputs that are `kept`, by node. Of a graph that writes nothing.
  Rewriter(const graph::Graph& from, const std::vector<bool>& kept);

  graph::Graph& to() { return to_; }
  const graph::Graph& to() const { return to_; }
  /// The values of the new graph that stand for those of the old one.
  graph::Value mapped(graph::Value old) const {
    return map_[static_cast<size_t>(old.node)][static_cast<size_t>(old.result)];
  }
  std::vector<graph::Value> mapped(const std::vector<graph::Value>& old) const;
  void replace(graph::NodeId old, std::vector<graph::Value> results) {
    map_[static_cast<size_t>(old)] = std::move(results);
  }
  void copy(graph::NodeId old);
  /// The old graph's outputs and what it writes, as they are mapped.
  graph::Graph finish();

 private:
  const graph::Graph& from_;
  graph::Graph to_;
  std::vector<std::vector<graph::Value>> map_;
};

/// By node: how many operands, outputs and written values it is.
std::vector<int> use_counts(const graph::Graph& graph);

}  // namespace sinter::passes
