// SPDX-License-Identifier: Apache-2.0
#include "src/graph/needed_nodes.h"

namespace sinter::graph {

std::vector<bool> needed_nodes(const Graph& g) {
  std::vector<NodeId> by;
  for (Value v : g.outputs()) by.push_back(v.node);
  for (const Write& w : g.writes()) by.push_back(w.value.node);
  return needed_nodes(g, by);
}

std::vector<bool> needed_nodes(const Graph& g, std::span<const NodeId> by) {
  std::vector<bool> needed(static_cast<size_t>(g.size()));
  for (const NodeId id : by) needed[static_cast<size_t>(id)] = true;
  for (NodeId id = g.size(); id-- > 0;)
    if (needed[static_cast<size_t>(id)])
      for (Value v : g.node(id).operands) needed[static_cast<size_t>(v.node)] = true;
  return needed;
}

}  // namespace sinter::graph
