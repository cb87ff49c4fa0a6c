// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"

namespace sinter::passes {

/// conv(x, w, b) read by a batch norm alone becomes conv(x, w * scale, bias + (b - mean) * scale), scale = weight /
/// sqrt(var + eps), where all but x depends on frozen inputs (by position) alone. The new weights are computed in the
/// compute type and rounded once. Runs on the user's ops; before split_constants(), which has them computed once. It
/// changes rounding, which freeze() says.
graph::Graph fold_batch_norm(const graph::Graph& graph, const std::vector<bool>& frozen);

}  // namespace sinter::passes
