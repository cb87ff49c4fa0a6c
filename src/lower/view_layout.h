// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "src/graph/graph.h"
#include "src/lower/strided_view.h"

namespace sinter::lower {

/// Follows views as eager execution does, which copies where strides cannot express one (`reshape`): such a view is in
/// memory of its own, row-major: the base is that view itself. `layout_of` says how the memory of what is no view is
/// addressed.
StridedView view_layout(const graph::Graph& graph, graph::NodeId id,
                        const std::function<graph::Layout(graph::NodeId base)>& layout_of);

/// Does the op of a node share its operand's memory where strides express it?
bool is_view(const graph::Graph& graph, graph::NodeId id);

}  // namespace sinter::lower
