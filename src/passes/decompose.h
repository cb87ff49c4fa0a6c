// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "src/graph/graph.h"

namespace sinter::passes {

/// Rewrites every op that is defined by decomposition into primitive ops (mean -> sum, div), and drops nodes that no
/// output needs. Runs first: everything after it sees primitive ops only. Inputs keep their order, also unused ones.
///
/// Calls (OpDef::call) that `is_left_to_provider` holds for stay as they are. Without it every call that can be taken
/// apart is.
using CallFilter = std::function<bool(const graph::Graph& graph, const graph::Node& call)>;
graph::Graph decompose(const graph::Graph& graph, const CallFilter& is_left_to_provider = {});

}  // namespace sinter::passes
