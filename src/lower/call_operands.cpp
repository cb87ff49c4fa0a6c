// SPDX-License-Identifier: Apache-2.0
#include "src/lower/call_operands.h"

#include "src/graph/registry.h"
#include "src/graph/text.h"

namespace sinter::lower {

using graph::Expr;
using graph::NodeId;
using Assumptions = std::vector<std::pair<Expr, Expr>>;

bool is_call(const graph::Node& node) { return node.op != nullptr && node.op->call.has_value(); }

namespace {

/// Would a base with memory of its own hold elements that the operand does not read?
bool holds_more(const graph::Graph& g, NodeId base, NodeId operand) {
  const graph::Node& n = g.node(base);
  if (n.op == nullptr || is_call(n)) return false;  // it has memory anyway
  return !provably_nonnegative(graph::product(g.type({operand, 0}).shape) - graph::product(g.type({base, 0}).shape),
                               g.ranges);
}

}  // namespace

CallOperand call_operand(const graph::Graph& g, NodeId call, size_t operand, Assumptions& assumptions) {
  const graph::Node& n = g.node(call);
  const NodeId id = n.operands[operand].node;
  const graph::ValueType& type = g.type({id, 0});
  for (NodeId base : view_chain(g, id)) {
    if (holds_more(g, base, id)) continue;
    auto view = view_in(g, id, base);
    if (!view) continue;
    graph::OperandLayout layout(type, view->strides, g.ranges);
    if (n.op->call->reads && !n.op->call->reads(n, operand, layout)) continue;
    assumptions.insert(assumptions.end(), layout.assumptions().begin(), layout.assumptions().end());
    return {std::move(*view), false};
  }
  return {{id, 0, graph::contiguous_layout(type.shape).strides}, g.node(id).op == nullptr};
}

Assumptions call_assumptions(const graph::Graph& g) {
  Assumptions all;
  for (NodeId id = 0; id < g.size(); ++id)
    if (is_call(g.node(id)))
      for (size_t i = 0; i < g.node(id).operands.size(); ++i) (void)call_operand(g, id, i, all);
  return all;
}

}  // namespace sinter::lower
