// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"

namespace sinter::passes {

/// By node: the same in every call while the frozen inputs (by position) keep their contents. Symbols change, so what
/// depends on one is no constant, nor is what has an effect.
std::vector<bool> constant_nodes(const graph::Graph& graph, const std::vector<bool>& frozen);

}  // namespace sinter::passes
