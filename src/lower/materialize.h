// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/lower/lower.h"

namespace sinter::lower {

/// Which nodes get memory of their own, and why (for explain()). Inputs are not listed.
struct Materialized {
  std::vector<bool> nodes;
  std::vector<std::string> reasons;
};

/// Outputs; everything, without fusion; reductions that are not the whole of what reads them; producers that are read
/// at several addresses and cost more to compute again than to load; and chains that have grown past what one kernel
/// should hold. Near linear in the size of the graph.
Materialized choose_materialized(const graph::Graph& graph, const Options& options);

}  // namespace sinter::lower
