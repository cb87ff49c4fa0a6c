// SPDX-License-Identifier: Apache-2.0
#include "src/passes/rewriter.h"

#include "src/graph/registry.h"

namespace sinter::passes {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

Rewriter::Rewriter(const Graph& from) : Rewriter(from, std::vector<bool>(static_cast<size_t>(from.size()), true)) {}

Rewriter::Rewriter(const Graph& from, const std::vector<bool>& kept)
    : from_(from), map_(static_cast<size_t>(from.size())) {
  to_.name = from.name;
  to_.device = from.device;
  to_.ranges = from.ranges;
  to_.set_symbol_count(from.symbol_count());
  for (size_t i = 0; i < from.inputs().size(); ++i) {
    const NodeId id = from.inputs()[i].node;
    if (!kept[static_cast<size_t>(id)]) continue;
    const Node& n = from.node(id);
    replace(from.inputs()[i].node, {to_.add_input(n.results[0], from.input_layout(i), n.line)});
  }
}

std::vector<Value> Rewriter::mapped(const std::vector<Value>& old) const {
  std::vector<Value> values;
  for (Value v : old) values.push_back(mapped(v));
  return values;
}

void Rewriter::copy(NodeId old) {
  const Node& n = from_.node(old);
  const NodeId made = to_.add(*n.op, mapped(n.operands), n.attributes, n.line);
  std::vector<Value> results;
  for (size_t i = 0; i < n.results.size(); ++i) results.push_back({made, static_cast<int32_t>(i)});
  replace(old, std::move(results));
}

Graph Rewriter::finish() {
  for (size_t i = 0; i < from_.outputs().size(); ++i) to_.add_output(mapped(from_.outputs()[i]), from_.output_order(i));
  for (graph::Write w : from_.writes()) {
    w.value = mapped(w.value);
    to_.add_write(w);
  }
  return std::move(to_);
}

std::vector<int> use_counts(const Graph& graph) {
  std::vector<int> uses(static_cast<size_t>(graph.size()));
  for (NodeId id = 0; id < graph.size(); ++id)
    for (Value v : graph.node(id).operands) ++uses[static_cast<size_t>(v.node)];
  for (Value v : graph.outputs()) ++uses[static_cast<size_t>(v.node)];
  for (const graph::Write& w : graph.writes()) ++uses[static_cast<size_t>(w.value.node)];
  return uses;
}

}  // namespace sinter::passes
