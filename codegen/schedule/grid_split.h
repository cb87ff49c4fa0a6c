// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/schedule/fold_plan.h"
#include "codegen/schedule/target.h"
#include "src/graph/expr.h"

namespace sinter::schedule {

/// A long fold of few results, split over the grid: a group of `pieces` programs folds a result (or a strip of them),
/// each a run of `chunks` chunks. Runs are subtrees of the canonical order, so that no bit changes.
struct GridSplit {
  graph::Expr chunks;    ///< a power of two, and a multiple of the plan's unit
  graph::Expr pieces;    ///< at least 1
  int32_t of_chunk = 1;  ///< pieces that a chunk is cut into: a power of two, at most the plan's units of a chunk
  int32_t most = 1;      ///< pieces at most
};

/// The fewest chunks a program, so that programs are not more than the machine needs to be busy. `groups` programs
/// would work without the split. Nothing if one program a result is right for all values of the symbols.
///
/// With symbolic sizes the choice is made at launch, by the same expression.
std::optional<GridSplit> split_over_grid(const FoldPlan& plan, graph::Expr extent, graph::Expr groups,
                                         const Target& target, const graph::Ranges& ranges);

}  // namespace sinter::schedule
