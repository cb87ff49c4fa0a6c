// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/graph/graph.h"

namespace sinter::lower {

/// Where a value's elements are, in elements of its dtype.
struct ViewLayout {
  graph::NodeId root = -1;  ///< the node whose memory it is: the value itself if it is no view
  graph::Expr offset;
  std::vector<graph::Expr> strides;
};

/// Follows views as eager execution does, which copies where strides cannot express one (`reshape`): such a view is in
/// memory of its own, row-major. `layout_of` says how the memory of what is no view is addressed.
ViewLayout view_layout(const graph::Graph& graph, graph::NodeId id,
                       const std::function<graph::Layout(graph::NodeId root)>& layout_of);

/// Does the op of a node share its operand's memory where strides express it?
bool is_view(const graph::Graph& graph, graph::NodeId id);

/// Row-major.
graph::Layout contiguous_layout(const graph::Graph& graph, graph::NodeId id);

}  // namespace sinter::lower
