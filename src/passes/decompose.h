// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"

namespace sinter::passes {

/// Rewrites every op that is defined by decomposition into primitive ops (mean -> sum, div), and drops nodes that no
/// output needs. Runs first: everything after it sees primitive ops only. Inputs keep their order, also unused ones.
graph::Graph decompose(const graph::Graph& graph);

}  // namespace sinter::passes
