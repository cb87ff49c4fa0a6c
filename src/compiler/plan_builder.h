// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/schedule/scheduled.h"
#include "runtime/exec/plan.h"
#include "src/compiler/codegen.h"
#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::compiler {

/// The plan of a compiled program: outputs from the graph's types, one step a kernel or call, temporaries in one arena
/// by liveness. Symbols of host expressions are those of the graph.
exec::Plan build_plan(const graph::Graph& graph, const loop::Program& program,
                      const std::vector<schedule::ScheduledKernel>& kernels, const std::vector<CodeImage>& images);

}  // namespace sinter::compiler
