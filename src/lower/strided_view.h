// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/graph/graph.h"

namespace sinter::lower {

/// A value as it lies in the memory of another: element address = offset + sum index[d] * strides[d].
struct StridedView {
  graph::NodeId base = -1;
  graph::Expr offset;
  std::vector<graph::Expr> strides;  ///< 1 in dims of extent 1
};

/// The nodes that `id` is a chain of view ops of, nearest the memory first: an input or a node that computes, then the
/// views, `id` last.
std::vector<graph::NodeId> view_chain(const graph::Graph& graph, graph::NodeId id);

/// `id` in the memory of `base`, which is on its chain of views: an input in its layout, any other node dense and
/// row-major. Nothing if the address is not affine in the index.
std::optional<StridedView> view_in(const graph::Graph& graph, graph::NodeId id, graph::NodeId base);
/// The same where the memory of `base` is addressed by `layout`.
std::optional<StridedView> view_in(const graph::Graph& graph, graph::NodeId id, graph::NodeId base,
                                   const graph::Layout& layout);

}  // namespace sinter::lower
