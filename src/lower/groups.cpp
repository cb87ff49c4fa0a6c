// SPDX-License-Identifier: Apache-2.0
#include "src/lower/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/graph/registry.h"

namespace sinter::lower {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::OpClass;

struct Reach {
  std::set<NodeId> buffers;  ///< inputs and materialized nodes read by the node's own expression
  std::set<NodeId>
      same_index;  ///< materialized nodes on pointwise paths of equal shape: read at the node's own address
  bool reduces = false;
};

constexpr size_t max_group_outputs = 16;

void walk(const Graph& g, const Materialized& m, NodeId id, NodeId root, bool aligned,
          std::set<std::pair<NodeId, bool>>& seen, Reach& r) {
  const graph::Node& n = g.node(id);
  const bool pointwise = n.op->op_class == OpClass::pointwise;
  r.reduces = r.reduces || n.op->op_class == OpClass::reduction;
  for (graph::Value v : n.operands) {
    const bool still = aligned && pointwise && g.type(v).shape == g.type({root, 0}).shape;
    if (g.node(v.node).op == nullptr || m.nodes[static_cast<size_t>(v.node)]) {
      r.buffers.insert(v.node);
      if (still) r.same_index.insert(v.node);
      if (g.node(v.node).op == nullptr) continue;
      continue;
    }
    if (seen.insert({v.node, still}).second) walk(g, m, v.node, root, still, seen, r);
  }
}

}  // namespace

std::vector<NodeGroup> choose_groups(const Graph& g, const Materialized& m, const Options& options) {
  std::vector<NodeGroup> groups;
  std::vector<Reach> reach(static_cast<size_t>(g.size()));
  std::vector<std::set<NodeId>> ancestors(static_cast<size_t>(g.size()));  // materialized ones
  std::vector<int> group_of(static_cast<size_t>(g.size()), -1);
  for (NodeId id = 0; id < g.size(); ++id) {
    const auto at = static_cast<size_t>(id);
    if (!m.nodes[at]) continue;
    std::set<std::pair<NodeId, bool>> seen;
    walk(g, m, id, id, true, seen, reach[at]);
    int earliest = 0;  // the group must come after everything that this node reads
    for (NodeId b : reach[at].buffers)
      if (group_of[static_cast<size_t>(b)] >= 0) {
        ancestors[at].insert(b);
        ancestors[at].insert(ancestors[static_cast<size_t>(b)].begin(), ancestors[static_cast<size_t>(b)].end());
        const bool own = reach[at].same_index.contains(b);
        earliest = std::max(earliest, group_of[static_cast<size_t>(b)] + (own ? 0 : 1));
      }
    std::string refused;
    for (size_t k = static_cast<size_t>(earliest); options.several_outputs && !reach[at].reduces && k < groups.size();
         ++k) {
      NodeGroup& candidate = groups[k];
      const NodeId other = candidate.outputs[0];
      const Reach& theirs = reach[static_cast<size_t>(other)];
      if (theirs.reduces || !(g.type({other, 0}).shape == g.type({id, 0}).shape) ||
          candidate.outputs.size() >= max_group_outputs)
        continue;
      bool shares = false;
      for (NodeId o : candidate.outputs) {
        shares = shares || reach[at].same_index.contains(o);
        for (NodeId b : reach[at].buffers) shares = shares || reach[static_cast<size_t>(o)].buffers.contains(b);
      }
      if (!shares) {
        refused = fmt::format("not fused with %{}: no buffer in common", other);
        continue;
      }
      candidate.outputs.push_back(id);
      candidate.notes.push_back(fmt::format("%{} joins %{}: equal shape, shared reads", id, other));
      group_of[at] = static_cast<int>(k);
      break;
    }
    if (group_of[at] >= 0) continue;
    group_of[at] = static_cast<int>(groups.size());
    NodeGroup fresh{{id}, {fmt::format("%{} is stored: {}", id, m.reasons[at])}};
    if (!refused.empty()) fresh.notes.push_back(refused);
    groups.push_back(std::move(fresh));
  }
  return groups;
}

}  // namespace sinter::lower
