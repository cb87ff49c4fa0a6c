// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::lower {

/// Outputs that are an input, or a view of an input or of an earlier output, with strides that express it: they need no
/// kernel. A view of what is written to an input is a view of that input.
std::vector<loop::Alias> find_aliases(const graph::Graph& graph);

}  // namespace sinter::lower
