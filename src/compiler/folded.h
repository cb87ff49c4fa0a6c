// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/compiler/compile.h"
#include "src/passes/split_constants.h"

namespace sinter::compiler {

/// A graph with frozen inputs (by position) as two, batch norms folded into convolutions; see split_constants().
std::optional<passes::SplitGraph> fold_frozen(const graph::Graph& graph, const std::vector<bool>& frozen);

/// A graph with frozen inputs, compiled as two: what depends on them alone runs once for each contents (storage,
/// version) of theirs, and its results are inputs of the rest. Both halves go through compile(), caches included; what
/// was computed is kept with this executable. Nothing if no input is frozen or nothing can be computed from them alone.
std::optional<Result> compile_folded(const graph::Graph& graph, const Options& options);

}  // namespace sinter::compiler
