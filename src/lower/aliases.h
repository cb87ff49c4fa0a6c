// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::lower {

/// Outputs that are an input, or view ops alone of one, with an address affine in their index and strides of at least
/// 0: they need no kernel.
std::vector<loop::Alias> find_aliases(const graph::Graph& graph);

}  // namespace sinter::lower
