// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"

namespace sinter::passes {

/// The most terms of a sum of products that are written out.
inline constexpr int64_t most_unrolled_terms = 4;

/// Is this call a matrix product of so few terms (a 3 x 3 matrix for each pixel)? It is bound by memory, so no library
/// should have it: decomposed, it shares a kernel with its neighbours.
bool is_short_product(const graph::Graph& graph, const graph::Node& call);

/// Writes sums over one dim of at most that many products as additions of products of slices: pointwise arithmetic,
/// where a fold would have a loop, or a warp, of that length. The same bits: the additions are in the canonical order.
/// Runs on primitive ops.
graph::Graph unroll_contractions(const graph::Graph& graph);

}  // namespace sinter::passes
