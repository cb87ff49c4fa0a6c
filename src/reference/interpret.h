// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::reference {

/// Called with the results of each node before others read them.
using AfterNode =
    std::function<void(const graph::Node& node, std::span<const Array> operands, std::vector<Array>& results)>;

/// Runs a graph node by node: the slow, obvious meaning that everything else is compared with.
///
/// inputs   in the order of graph.inputs(), dense whatever the inputs' layouts; dtypes and shapes must fit
/// symbols  value of each symbol: the extent, or the bits of the promoted Number; as many as graph.symbol_count()
///
/// Ops without a reference of their own are interpreted through their decomposition. Throws UserError where the op's
/// eager form would, CompileError if inputs do not fit the graph or an assumption of the graph does not hold.
std::vector<Array> interpret(const graph::Graph& graph, std::span<const Array> inputs,
                             std::span<const int64_t> symbols = {}, const AfterNode& after = {});

/// The results of one node whose extents and numbers are literals, given its operands.
std::vector<Array> interpret_node(const graph::Node& node, std::span<const Array> operands);

}  // namespace sinter::reference
