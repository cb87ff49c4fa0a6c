// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::lower {

struct Options {
  bool fuse = true;  ///< false: every op that computes is a kernel of its own (views stay index arithmetic)
  /// Values over one iteration space that read a common buffer may share a kernel, and small groups a launch.
  bool several_outputs = true;
  /// Longer rows (limits.h) are folded in one kernel, stage by stage and with what is stored along them, where there
  /// are at least so many: a program has a row.
  int64_t many_rows = 64;
  bool round_each_op = true;  ///< false: Rounding::per_kernel, f16 and bf16 are rounded by casts and stores alone
};

/// Graph of primitive ops -> loop program, as the schedule takes it: lower_to_nests(), split_boxes(), collapse(),
/// join_groups().
loop::Program lower(const graph::Graph& graph, const Options& options);

/// One nest a group, accesses by the dims of their buffers. Fusion never changes bits: rounding is explicit, and a
/// value that is computed again is the same pure function of its inputs.
loop::Program lower_to_nests(const graph::Graph& graph, const Options& options);

}  // namespace sinter::lower
