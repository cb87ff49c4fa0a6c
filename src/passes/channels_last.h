// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"

namespace sinter::passes {

/// Computes in channels-last order what eager execution would: convolutions of channels-last operands, and pointwise
/// ops and batch norms whose first full operand is channels-last. Their values have the channel as last dim, so that
/// every later step sees row-major memory; outputs keep their dims and say in which order their memory is
/// (Graph::output_order). The written rule for strides of results: channels-last by this pass, otherwise row-major.
///
/// Runs on the user's ops, before decomposition. A graph without channels-last inputs comes back as it is.
graph::Graph channels_last(const graph::Graph& graph);

}  // namespace sinter::passes
