// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/schedule/scheduled.h"
#include "src/loop/program.h"

namespace sinter::compiler {

/// Byte offsets in one block of memory: of the temporaries (by position), and of the kernels' workspaces.
/// Calls' workspaces are not among them: how large they are is known when a call is made ready (exec::CallStep).
struct Arena {
  std::vector<graph::Expr> offsets;
  std::vector<graph::Expr> workspaces;
  graph::Expr bytes;
};

/// Temporaries and workspaces whose lives (first to last step that touches them) do not overlap share memory where
/// their sizes are literal; symbolic ones follow one another.
Arena place_temporaries(const loop::Program& program, const std::vector<schedule::ScheduledKernel>& kernels);

}  // namespace sinter::compiler
