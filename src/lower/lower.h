// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::lower {

struct Options {
  bool fuse = true;             ///< false: every op that computes is a kernel of its own
  bool several_outputs = true;  ///< values of one shape may share a kernel
  bool round_each_op = true;    ///< false: Rounding::per_kernel, only stores round
};

/// Graph (primitive ops) -> loop program. Chooses which values get memory (materialize.h), groups those that share a
/// kernel (groups.h), and writes each group as one nest by reading producers at the index where they are needed. Fusion
/// never changes bits: rounding is explicit, and a value recomputed at an index is the same pure function of its
/// inputs.
loop::Program lower(const graph::Graph& graph, const Options& options);

}  // namespace sinter::lower
