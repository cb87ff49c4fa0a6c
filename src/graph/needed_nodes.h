// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace sinter::graph {

/// By node: does an output depend on it, or what is written?
std::vector<bool> needed_nodes(const Graph& graph);
/// By node: does one of these?
std::vector<bool> needed_nodes(const Graph& graph, std::span<const NodeId> by);

}  // namespace sinter::graph
