// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/text.h"

namespace sinter::graph {
namespace {

std::string label(const Node& n) {
  std::string s = n.op == nullptr ? "input" : std::string(n.op->name);
  if (n.op != nullptr && !n.op->params.empty()) s += " " + text(*n.op, n.attributes);
  for (const ValueType& t : n.results) s += "\n" + text(t);
  if (n.line.file != nullptr) s += "\n" + n.line.text();
  return graph::quoted(s);
}

/// Nodes of a graph, named after their path: subgraphs are clusters.
void add_graph(std::string& out, const Graph& g, const std::string& path) {
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    const std::string name = fmt::format("{}n{}", path, id);
    const bool is_output = std::ranges::any_of(g.outputs(), [&](Value v) { return v.node == id; }) ||
                           std::ranges::any_of(g.writes(), [&](const Write& w) { return w.value.node == id; });
    out += fmt::format("  {} [label={}, shape={}, peripheries={}];\n", name, label(n), n.op ? "box" : "ellipse",
                       is_output ? 2 : 1);
    for (Value v : n.operands) {
      const bool several = g.node(v.node).results.size() > 1;
      const std::string attribute = several ? fmt::format(" [label=\"{}\"]", v.result) : "";
      out += fmt::format("  {}n{} -> {}{};\n", path, v.node, name, attribute);
    }
    for (size_t i = 0; i < n.subgraphs.size(); ++i) {
      const std::string inner = fmt::format("{}_{}_", name, i);
      out += fmt::format("  subgraph cluster_{} {{\n  label={};\n", inner, graph::quoted(n.subgraphs[i]->name));
      add_graph(out, *n.subgraphs[i], inner);
      out += "  }\n";
    }
  }
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string out = fmt::format("digraph {} {{\n", graph::quoted(graph.name));
  add_graph(out, graph, "");
  return out + "}\n";
}

}  // namespace sinter::graph
