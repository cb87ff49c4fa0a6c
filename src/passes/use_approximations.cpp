// SPDX-License-Identifier: Apache-2.0
#include "src/passes/use_approximations.h"

#include "src/graph/registry.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

bool has_approximation(const graph::Node& n) {
  const DType t = n.results[0].dtype;
  return n.op != nullptr && n.op->approximation != nullptr && t.is_floating() && t != f64;
}

}  // namespace

graph::Graph use_approximations(const graph::Graph& graph) {
  Rewriter r(graph);
  for (graph::NodeId id = 0; id < graph.size(); ++id) {
    const graph::Node& n = graph.node(id);
    if (n.op == nullptr) continue;
    if (has_approximation(n))
      r.replace(id, {{r.to().add(*n.op->approximation, r.mapped(n.operands), n.attributes, n.line), 0}});
    else
      r.copy(id);
  }
  return r.finish();
}

}  // namespace sinter::passes
