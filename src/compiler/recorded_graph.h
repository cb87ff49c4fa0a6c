// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/backend.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/registry.h"

namespace sinter::compiler {

/// The public form of a graph without symbols.
RecordedGraph recorded_graph(const graph::Graph& graph);
/// The graph of a public form, which a user may have changed: UserError where it is none.
graph::Graph graph_of(const RecordedGraph& recorded);

/// The attributes of a node as the public form writes them, and back.
std::vector<Attribute> recorded_attributes(const graph::OpDef& op, const graph::Attributes& attributes);
graph::Attributes attributes_of(const graph::OpDef& op, std::span<const Attribute> attributes, SourceLine line);
/// The next attribute that `reader` comes to, which is of this parameter.
AttributeValue read_attribute(graph::AttributeReader& reader, const graph::Param& parameter);
/// The value of that name; UserError if there is none.
const AttributeValue& attribute_named(std::string_view name, std::span<const Attribute> attributes,
                                      const std::string& op, SourceLine line);

}  // namespace sinter::compiler
