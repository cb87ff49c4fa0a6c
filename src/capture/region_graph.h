// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/capture/key.h"
#include "src/capture/trace.h"
#include "src/graph/graph.h"

namespace sinter::capture {

/// Which key positions are run-time symbols: -1 for a literal, else the symbol's id, which is the position of its
/// representative (positions with equal values in both calls share one symbol).
using SymbolMap = std::vector<int32_t>;

/// The graph of a region: inputs as the key describes them, then one node per trace node. Throws UserError from a type
/// rule, with the line recorded for that op. Values are numbered so that slot s is node inputs + s.
graph::Graph region_graph(std::span<const TraceNode* const> path, std::span<const int64_t> key, size_t input_count,
                          std::span<const int32_t> outputs, std::span<const RegionWrite> writes,
                          const SymbolMap& symbols);

/// Attributes of a graph node: the trace node's structural words, and the values at `first` of the key.
graph::Attributes node_attributes(const TraceNode& node, std::span<const int64_t> key, size_t first,
                                  const SymbolMap& symbols);

}  // namespace sinter::capture
