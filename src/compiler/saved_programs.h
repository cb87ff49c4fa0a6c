// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/saved/file.h"
#include "src/compiler/compile.h"
#include "src/compiler/save_targets.h"

namespace sinter::compiler {

/// Adds the programs of a call for every target, and their code, to a file: for inputs at multiples of 16 bytes and for
/// any. With `source` and a CUDA target also one that is compiled where it is loaded.
void add_programs(saved::File& file, saved::SavedCall& call, const graph::Graph& graph, const Options& options,
                  const std::vector<SaveTarget>& targets, bool source);

}  // namespace sinter::compiler
