// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/lower/planned_group.h"

namespace sinter::lower {

/// Groups in an order in which each follows those it reads, and the nodes that have memory.
struct Plan {
  std::vector<PlannedGroup> groups;
  Materialized materialized;
};

/// A node that must be stored.
struct StoredNode {
  graph::NodeId node;
  std::string why;     ///< for explain()
  bool alone = false;  ///< in a kernel of its own
};

/// Decides what has memory and what shares a kernel. `stored` are outputs and what is written in place; an input
/// among them is copied.
///
/// From the last stored node to the first, each is expanded over its own space; the expansion says what else needs
/// memory (nest_reader.h). Then it joins the group that reads it, or one over the same space with a read in common,
/// where why_not_together() allows. At last nodes that several groups compute at more than the cost of memory get
/// memory. Near linear: every expansion is bounded by limits.h, and each repeat of one gives at least one more node
/// memory.
Plan plan(const graph::Graph& graph, const Options& options, const std::vector<StoredNode>& stored);

}  // namespace sinter::lower
