// SPDX-License-Identifier: Apache-2.0
#include "src/passes/constant_nodes.h"

#include <algorithm>

namespace sinter::passes {
namespace {

using graph::Node;

bool is_literal(const graph::Scalar& s) { return s.is_extent ? s.expr.constant().has_value() : s.symbol < 0; }

bool is_literal(const graph::ValueType& t) {
  return std::ranges::all_of(t.shape, [](graph::Expr e) { return e.constant().has_value(); });
}

bool is_literal(const Node& n) {
  return n.effect_order < 0 && n.subgraphs.empty() &&
         std::ranges::all_of(
             n.attributes.scalars, [](const graph::Scalar& s) { return is_literal(s); }) &&
         std::ranges::all_of(n.results, [](const graph::ValueType& t) { return is_literal(t); });
}

}  // namespace

std::vector<bool> constant_nodes(const graph::Graph& g, const std::vector<bool>& frozen) {
  std::vector<bool> constant(static_cast<size_t>(g.size()));
  for (size_t i = 0; i < g.inputs().size() && i < frozen.size(); ++i) {
    const graph::NodeId id = g.inputs()[i].node;
    const auto literal = [](graph::Expr e) { return e.constant().has_value(); };
    const graph::Layout& layout = g.input_layout(i);
    constant[static_cast<size_t>(id)] = frozen[i] && is_literal(g.node(id).results[0]) &&
                                        std::ranges::all_of(layout.strides, literal) && literal(layout.offset);
  }
  for (graph::NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    if (n.op == nullptr) continue;
    constant[static_cast<size_t>(id)] = is_literal(n) && std::ranges::all_of(n.operands, [&](graph::Value v) {
                                          return constant[static_cast<size_t>(v.node)];
                                        });
  }
  return constant;
}

}  // namespace sinter::passes
