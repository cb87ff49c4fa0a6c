// SPDX-License-Identifier: Apache-2.0
#include "src/passes/fuse_activations.h"

#include <algorithm>

#include "src/graph/registry.h"
#include "src/ops/convolution.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

bool is_plain_convolution(const Node& n) {
  return n.op != nullptr && ops::spatial_dims(*n.op) != 0 &&
         ops::read_window(n.attributes).activation == ops::ConvActivation::none;
}

}  // namespace

Graph fuse_activations(const Graph& g) {
  const std::vector<int> uses = use_counts(g);
  Rewriter rewrite(g);
  bool changed = false;
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    if (n.op == nullptr) continue;
    const Value y = n.op->name == "relu" ? n.operands[0] : Value{};
    if (y.node < 0 || uses[static_cast<size_t>(y.node)] != 1 || !is_plain_convolution(g.node(y.node))) {
      rewrite.copy(id);
      continue;
    }
    const Node& conv = g.node(y.node);
    ops::ConvWindow window = ops::read_window(conv.attributes);
    window.activation = ops::ConvActivation::relu;
    rewrite.replace(id, {{rewrite.to().add(*conv.op, rewrite.mapped(conv.operands), window.attributes(), n.line), 0}});
    changed = true;
  }
  return changed ? rewrite.finish() : g;
}

}  // namespace sinter::passes
