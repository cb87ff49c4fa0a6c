// SPDX-License-Identifier: Apache-2.0
#include "src/graph/needed_nodes.h"

namespace sinter::graph {

std::vector<bool> needed_nodes(const Graph& g) {
  std::vector<bool> needed(static_cast<size_t>(g.size()));
  for (Value v : g.outputs()) needed[static_cast<size_t>(v.node)] = true;
  for (const Write& w : g.writes()) needed[static_cast<size_t>(w.value.node)] = true;
  for (NodeId id = g.size(); id-- > 0;)
    if (needed[static_cast<size_t>(id)])
      for (Value v : g.node(id).operands) needed[static_cast<size_t>(v.node)] = true;
  return needed;
}

}  // namespace sinter::graph
