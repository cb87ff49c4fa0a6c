// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/exec/executable.h"
#include "src/graph/graph.h"

namespace sinter::compiler {

/// Runs a graph on the reference interpreter, on the CPU whatever the device: backend "reference", and where there is
/// no code generator.
std::shared_ptr<const exec::Executable> make_interpreter(const graph::Graph& graph);

}  // namespace sinter::compiler
