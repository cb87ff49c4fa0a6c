// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "src/graph/registry.h"

namespace sinter::graph {
namespace {

void require(bool ok, NodeId id, const char* what) {
  if (!ok) throw CompileError(fmt::format("graph: %{}: {}", id, what));
}

void check_symbols(const Graph& g, NodeId id, Expr e) {
  visit_leaves(e, [&](Expr leaf) {
    require(leaf.kind() == Expr::Kind::symbol && leaf.id() < g.symbol_count(), id, "an extent uses an unknown symbol");
  });
}

}  // namespace

void verify(const Graph& g) {
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    require(!n.results.empty(), id, "no result");
    for (const ValueType& t : n.results)
      for (Expr e : t.shape) check_symbols(g, id, e);
    for (Value v : n.operands) {
      require(v.node >= 0 && v.node < id, id, "an operand is not an earlier node");
      require(static_cast<size_t>(v.result) < g.node(v.node).results.size(), id, "an operand has no such result");
    }
    if (n.op == nullptr) continue;
    std::vector<ValueType> types;
    for (Value v : n.operands) types.push_back(g.type(v));
    InferContext context(*n.op, types, n.attributes, n.line);
    require(n.op->infer(context) == n.results, id, "result types are not what the type rule gives");
  }
  for (Value v : g.outputs()) require(v.node >= 0 && v.node < g.size(), v.node, "an output is no node");
}

}  // namespace sinter::graph
