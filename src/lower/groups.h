// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/lower/materialize.h"

namespace sinter::lower {

/// Materialized nodes that one kernel computes.
struct NodeGroup {
  std::vector<graph::NodeId> outputs;
  std::vector<std::string> notes;
};

/// Partition of the materialized nodes, in an order in which every group follows those it reads. With several_outputs,
/// values of one shape join when they read a common buffer and neither depends on the other but at equal addresses;
/// the note says which rule refused.
std::vector<NodeGroup> choose_groups(const graph::Graph& graph, const Materialized& materialized,
                                     const Options& options);

}  // namespace sinter::lower
