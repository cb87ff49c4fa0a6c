// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"

namespace sinter::graph {

/// By node: does an output depend on it?
std::vector<bool> needed_nodes(const Graph& graph);

}  // namespace sinter::graph
