// SPDX-License-Identifier: Apache-2.0
#include "src/lower/materialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/graph/registry.h"

namespace sinter::lower {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::OpClass;

constexpr int max_ops_in_kernel = 192;  ///< graph ops inlined into one another: bounds registers and compile time
constexpr int max_inputs_of_kernel = 48;
constexpr int cheap_to_repeat = 4;  ///< ops that a producer may cost where it is read several times

bool computes(const Node& n) { return n.op != nullptr && n.op->op_class != OpClass::view; }

/// Reads of one operand per element of the result.
bool reads_several(const Node& n) {
  return n.op != nullptr && n.op->op_class == OpClass::indexed && n.operands.size() <= 2 && n.op->name != "pad";
}

struct Cost {
  int ops = 0;              ///< upper bound of graph ops computed for one element
  std::set<NodeId> inputs;  ///< buffers read; not tracked past the limit
};

bool is_reduction(const Node& n) { return n.op != nullptr && n.op->op_class == OpClass::reduction; }

}  // namespace

Materialized choose_materialized(const Graph& g, const Options& options) {
  const auto count = static_cast<size_t>(g.size());
  Materialized m{std::vector<bool>(count), std::vector<std::string>(count)};
  std::vector<std::vector<NodeId>> users(count);
  for (NodeId id = 0; id < g.size(); ++id)
    for (graph::Value v : g.node(id).operands) users[static_cast<size_t>(v.node)].push_back(id);
  auto take = [&](NodeId id, std::string why) {
    if (g.node(id).op == nullptr || m.nodes[static_cast<size_t>(id)]) return;
    m.nodes[static_cast<size_t>(id)] = true;
    m.reasons[static_cast<size_t>(id)] = std::move(why);
  };
  for (graph::Value v : g.outputs()) take(v.node, "output");
  std::vector<Cost> costs(count);
  std::vector<bool> holds_reduction(count);
  for (NodeId id = 0; id < g.size(); ++id) {
    const Node& n = g.node(id);
    const auto at = static_cast<size_t>(id);
    if (n.op == nullptr) {
      costs[at].inputs = {id};
      continue;
    }
    Cost c{computes(n) ? 1 : 0, {}};
    for (graph::Value v : n.operands) {
      const auto from = static_cast<size_t>(v.node);
      if (reads_several(n) && costs[from].ops > cheap_to_repeat)
        take(v.node, fmt::format("read at several addresses by {}, and {} ops are dearer than a load", n.op->name,
                                 costs[from].ops));
      if (holds_reduction[from] && !m.nodes[from] &&
          (is_reduction(n) || !(g.type({id, 0}).shape == g.type(v).shape) || n.op->op_class != OpClass::pointwise))
        take(v.node, fmt::format("a reduction whose result {} reads at other addresses", n.op->name));
      if (m.nodes[from]) {
        c.inputs.insert(v.node);
        continue;
      }
      c.ops += costs[from].ops;
      c.inputs.insert(costs[from].inputs.begin(), costs[from].inputs.end());
    }
    bool reduces = is_reduction(n);
    int reductions = 0;
    for (graph::Value v : n.operands)
      if (!m.nodes[static_cast<size_t>(v.node)] && holds_reduction[static_cast<size_t>(v.node)]) ++reductions;
    if (reductions > 1) {  // two folds in one nest must run over the same axes: keep the first, store the others
      for (graph::Value v : n.operands)
        if (reductions > 1 && !m.nodes[static_cast<size_t>(v.node)] && holds_reduction[static_cast<size_t>(v.node)]) {
          take(v.node, "another reduction is folded in the kernel that reads it");
          --reductions;
        }
    }
    holds_reduction[at] = reduces || reductions > 0;
    if (reduces && users[at].size() > 1) take(id, "a reduction with several readers");
    if (holds_reduction[at] && !reduces && users[at].size() > 1)
      take(id, "the result of a reduction has several readers");
    if (!options.fuse && computes(n)) take(id, "fusion is off");
    if (c.ops > max_ops_in_kernel) take(id, fmt::format("{} ops are enough for one kernel", c.ops));
    if (static_cast<int>(c.inputs.size()) > max_inputs_of_kernel)
      take(id, fmt::format("{} inputs are enough for one kernel", c.inputs.size()));
    costs[at] = m.nodes[at] ? Cost{0, {id}} : std::move(c);
  }
  return m;
}

}  // namespace sinter::lower
