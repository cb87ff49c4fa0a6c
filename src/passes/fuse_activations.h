// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"

namespace sinter::passes {

/// relu(conv(...)) whose convolution nothing else reads becomes one convolution that rectifies its result: one library
/// call. The bits stay: rounding and rectifying commute. Runs on the user's ops.
graph::Graph fuse_activations(const graph::Graph& graph);

}  // namespace sinter::passes
