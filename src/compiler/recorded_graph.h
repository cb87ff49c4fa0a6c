// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/backend.h>

#include "src/graph/graph.h"

namespace sinter::compiler {

/// The public form of a graph without symbols.
RecordedGraph recorded_graph(const graph::Graph& graph);
/// The graph of a public form, which a user may have changed: UserError where it is none.
graph::Graph graph_of(const RecordedGraph& recorded);

/// The attributes of a node as the public form writes them, and back.
std::vector<RecordedAttribute> recorded_attributes(const graph::OpDef& op, const graph::Attributes& attributes);
graph::Attributes attributes_of(const graph::OpDef& op, const RecordedOp& recorded);

}  // namespace sinter::compiler
