// SPDX-License-Identifier: Apache-2.0
#include "src/passes/decompose.h"

#include <utility>
#include <vector>

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;

bool stays(const Graph& g, const Node& n, const CallFilter& is_left_to_provider) {
  if (!n.op->decompose) return true;
  return n.op->call && is_left_to_provider && is_left_to_provider(g, n);
}

/// One round; `changed` tells whether a decomposition made new ops that may decompose again.
Graph round(const Graph& g, const CallFilter& is_left_to_provider, bool& changed) {
  Rewriter rewriter(g);
  const std::vector<bool> needed = graph::needed_nodes(g);
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    if (n.op == nullptr || !needed[static_cast<size_t>(id)]) continue;
    if (stays(g, n, is_left_to_provider)) {
      rewriter.copy(id);
      continue;
    }
    Node moved = n;
    moved.operands = rewriter.mapped(n.operands);
    rewriter.replace(id, n.op->decompose(rewriter.to(), moved));
    changed = true;
  }
  return rewriter.finish();
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
