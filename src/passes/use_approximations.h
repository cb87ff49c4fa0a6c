// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"

namespace sinter::passes {

/// Puts in place of every op of f16, bf16 and f32 that has an approximation (OpDef::approximation) that one: what
/// Math::fast means. Runs on primitive ops, so that it reaches into composites, and after calls were given their
/// epilogues, which are named by the accurate ops.
graph::Graph use_approximations(const graph::Graph& graph);

}  // namespace sinter::passes
