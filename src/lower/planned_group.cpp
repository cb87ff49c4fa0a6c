// SPDX-License-Identifier: Apache-2.0
#include "src/lower/planned_group.h"

#include <algorithm>

namespace sinter::lower {

using graph::NodeId;

const loop::Store& PlannedGroup::store_of(NodeId root) const {
  return *std::ranges::find(nest.stores, root, &loop::Store::buffer);
}

Space space_of(const graph::Graph& graph, NodeId root) {
  const graph::Node& n = graph.node(root);
  const graph::Value spanned = is_accumulation(n) ? n.operands[0] : graph::Value{root, 0};
  Space space{wide_extents(graph.type(spanned).shape), 0};
  space.parallel = space.extents.size();
  return space;
}

PlannedGroup expand_group(const graph::Graph& graph, const Options& options, Materialized& materialized,
                          const Space& space, std::vector<NodeId> roots) {
  for (;;) {
    NestReader reader(graph, options, materialized, space, roots);
    PlannedGroup group;
    for (NodeId root : roots) group.nest.stores.push_back(reader.root_store(root));
    reader.part_stages();
    if (reader.found_materializations()) continue;
    group.roots = std::move(roots);
    group.space = reader.space();
    group.costs = reader.costs();
    group.nest.axes = reader.axes();
    group.nest.body = reader.take_body();
    const std::vector<bool> live = loop::live_instructions(group.nest);
    for (size_t i = 0; i < live.size(); ++i) {
      const loop::Instruction& in = group.nest.body[static_cast<loop::ValueId>(i)];
      if (live[i] && in.kind == loop::InstructionKind::load) group.reads.insert(in.id);
    }
    return group;
  }
}

}  // namespace sinter::lower
