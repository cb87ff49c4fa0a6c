// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/lower/writes.h"

namespace sinter::lower {

/// Orders the groups of the plan so that every read of an input comes before its memory is written, and stores to one
/// input are in program order. Returns the stores for which there is no such order, by number.
std::vector<size_t> order_writes(WrittenPlan& plan);

/// Does a load of a written input stand where the store of the same kernel stands? Indices are over the dims of either.
bool same_element(const graph::Graph& graph, const InPlaceStore& store, const loop::Nest& nest,
                  const std::vector<graph::Expr>& loaded_at, const std::vector<graph::Expr>& stored_at);

}  // namespace sinter::lower
