// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/graph/graph.h"
#include "src/lower/plan.h"

namespace sinter::lower {

/// A store into the memory of an input. Its value has a node that nothing reads: a clone, or the library call that
/// writes it there.
struct InPlaceStore {
  graph::NodeId node = -1;
  int input = -1;
  graph::Layout layout;     ///< of the stored elements in the input's memory: the box that was written, or all
  bool whole = false;       ///< all of them
  bool overlapped = false;  ///< another input overlaps the memory
};

/// A graph that writes to inputs, planned. `stores` are in program order.
struct WrittenPlan {
  graph::Graph graph;  ///< with the nodes of the stores, and of copies that they need
  std::vector<InPlaceStore> stores;
  Plan plan;
};

/// Every kernel that reads an input comes before those that write to it. A kernel that does both reads where it writes,
/// element by element; a value for which this is impossible (x[1:] = x[:-1], two inputs that change places) goes
/// through memory of its own. `stored` are the outputs that need a kernel.
///
/// What is written are the boxes that the program wrote, in its order, not what they left alone: the scatters of a
/// write are taken apart again. A box that a later one covers exactly is left out.
WrittenPlan plan_writes(const graph::Graph& graph, const Options& options, const std::vector<graph::NodeId>& stored);

}  // namespace sinter::lower
