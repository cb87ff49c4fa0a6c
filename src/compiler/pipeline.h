// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/compiler/codegen.h"
#include "src/compiler/compile.h"
#include "src/compiler/plan_builder.h"

namespace sinter::compiler {

/// What the pipeline makes of a graph: plan and images, and the decisions in words.
struct Generated {
  exec::Plan plan;
  std::vector<CodeImage> images;
  CompileTimes times;
  std::vector<std::vector<std::string>> notes;  ///< per kernel
  std::vector<std::string> library_notes;       ///< calls that no library computes, and why
};

/// Every step from graph to code, read top to bottom (pipeline.cpp).
Generated run_pipeline(const graph::Graph& graph, const Options& options, const device::Properties& properties);

}  // namespace sinter::compiler
