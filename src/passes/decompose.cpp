// SPDX-License-Identifier: Apache-2.0
#include "src/passes/decompose.h"

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

Graph empty_like(const Graph& g) {
  Graph out;
  out.name = g.name;
  out.device = g.device;
  out.ranges = g.ranges;
  out.set_symbol_count(g.symbol_count());
  return out;
}

bool stays(const Graph& g, const Node& n, const CallFilter& is_left_to_provider) {
  if (!n.op->decompose) return true;
  return n.op->call && is_left_to_provider && is_left_to_provider(g, n);
}

/// One round; `changed` tells whether a decomposition made new ops that may decompose again.
Graph round(const Graph& g, const CallFilter& is_left_to_provider, bool& changed) {
  Graph out = empty_like(g);
  const std::vector<bool> needed = graph::needed_nodes(g);
  std::vector<std::vector<Value>> map(static_cast<size_t>(g.size()));
  size_t input = 0;
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    auto& results = map[static_cast<size_t>(id)];
    if (n.op == nullptr) {
      results = {out.add_input(n.results[0], g.input_layout(input++), n.line)};
      continue;
    }
    if (!needed[static_cast<size_t>(id)]) continue;
    std::vector<Value> operands;
    for (Value v : n.operands) operands.push_back(map[static_cast<size_t>(v.node)][static_cast<size_t>(v.result)]);
    if (!stays(g, n, is_left_to_provider)) {
      Node moved = n;
      moved.operands = std::move(operands);
      results = n.op->decompose(out, moved);
      changed = true;
      continue;
    }
    const NodeId made = out.add(*n.op, std::move(operands), n.attributes, n.line);
    for (size_t i = 0; i < n.results.size(); ++i) results.push_back({made, static_cast<int32_t>(i)});
  }
  const auto mapped = [&](Value v) { return map[static_cast<size_t>(v.node)][static_cast<size_t>(v.result)]; };
  for (size_t i = 0; i < g.outputs().size(); ++i) out.add_output(mapped(g.outputs()[i]), g.output_order(i));
  for (graph::Write w : g.writes()) {
    w.value = mapped(w.value);
    out.add_write(w);
  }
  return out;
}

}  // namespace

Graph decompose(const Graph& g, const CallFilter& is_left_to_provider) {
  bool changed = false;
  Graph out = round(g, is_left_to_provider, changed);
  while (changed) {
    changed = false;
    out = round(out, is_left_to_provider, changed);
  }
  return out;
}

}  // namespace sinter::passes
