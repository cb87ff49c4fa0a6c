// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/graph/graph.h"

namespace sinter::passes {

struct SplitGraph {
  graph::Graph constants;  ///< inputs: those of the graph; outputs: values that depend on frozen inputs alone
  graph::Graph rest;       ///< inputs: those of the graph, then the constants
  std::vector<size_t> frozen_inputs;  ///< positions of the inputs that constants are computed from
};

/// Takes out of a graph what needs computing once for each contents of its frozen inputs (by position): constant values
/// that others read, unless they are views, more elements than all frozen inputs together, or results of the graph,
/// which are fresh memory on every call. Views are taken out where a convolution reads them, which wants dense
/// operands. Nothing if there are none.
std::optional<SplitGraph> split_constants(const graph::Graph& graph, const std::vector<bool>& frozen);

}  // namespace sinter::passes
