// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/compile.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/schedule/fold_strategy.h"
#include "runtime/exec/executable.h"
#include "src/graph/graph.h"

namespace sinter::compiler {

/// What selects code besides the graph itself; all of it is part of the cache key.
struct Options {
  Fusion fusion = Fusion::all;
  Rounding rounding = Rounding::per_op;
  Math math = Math::accurate;
  std::string backend = "sinter";
  bool aligned = true;            ///< every input pointer is 16-byte aligned
  std::string location = {};      ///< where compile() was called; comments only, never in a key
  bool libraries = true;          ///< calls that can be taken apart may go to libraries
  std::vector<bool> frozen = {};  ///< by input: its contents change by in-place ops alone; never in a key (folded.h)
  schedule::FoldStrategy folds = schedule::forced_folds();
};

struct Result {
  std::shared_ptr<const exec::Executable> executable;
  bool from_disk = false;    ///< no code was generated
  bool from_memory = false;  ///< another function compiled the same region before
  double milliseconds = 0;
  CompileTimes times;
  std::vector<std::vector<std::string>> kernel_notes;  ///< per kernel: fusion decisions; empty when from a cache
  std::vector<std::string> library_notes;              ///< calls that no library computes, and why; the same
};

/// Which caches compiling on this thread may read while the object lives; both are written all the same. For
/// measuring first calls.
enum class Caches : uint8_t { all, disk, none };
class ReadCaches {
 public:
  explicit ReadCaches(Caches caches);
  ~ReadCaches();
  ReadCaches(const ReadCaches&) = delete;
  ReadCaches& operator=(const ReadCaches&) = delete;

 private:
  Caches before_;
};

/// What the code of a graph assumes of its symbols besides what its type rules do: strides of tensors that library
/// calls read in place. Equalities to be guarded.
std::vector<std::pair<graph::Expr, graph::Expr>> layout_assumptions(const graph::Graph& graph);

/// Graph -> executable on the graph's device: memory table, disk cache, or the whole pipeline (pipeline.cpp).
Result compile(const graph::Graph& graph, const Options& options);

}  // namespace sinter::compiler
