// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/backend.h>

#include <memory>
#include <string>

#include "runtime/exec/executable.h"
#include "src/graph/graph.h"

namespace sinter::compiler {

/// Throws UserError that lists the backends if there is none of that name.
void check_backend(const std::string& name, SourceLine line);

/// Does the backend generate code, which depends on the alignment of inputs?
bool generates_code(const std::string& backend);
/// Registered backends see every extent and number as a literal; Sinter's own take symbols.
bool takes_literal_graphs(const std::string& backend);

/// An executable that runs the graph op by op on the eager entries.
std::shared_ptr<const exec::Executable> make_eager(const graph::Graph& graph);
/// One of a registered backend.
std::shared_ptr<const exec::Executable> make_registered(const graph::Graph& graph, const std::string& backend);

}  // namespace sinter::compiler
