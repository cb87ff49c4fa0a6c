// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/capture/freeze_call.h"
#include "src/capture/frozen_region.h"
#include "src/compiler/compile.h"
#include "src/graph/graph.h"

namespace sinter::capture {

/// The graph that programs are saved of. What depends on frozen constants alone (freeze()) is computed now, where the
/// region runs, as compile_folded() does in every process: its values become constants of `parts`, and those that
/// nothing reads any more are left out.
graph::Graph fold_for_saving(const FrozenRegion& region, const compiler::Options& options, FrozenParts& parts);

}  // namespace sinter::capture
