// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "src/compiler/dump.h"
#include "src/graph/graph.h"
#include "src/loop/program.h"

namespace sinter::compiler {

/// Is this word in SINTER_CHECK?
bool is_check_wanted(std::string_view check);

/// What each step of a compilation made: written to the dump, and verified if wanted (SINTER_CHECK=verify). A graph or
/// program that breaks the rules of its representation is a CompileError that names the step.
class Steps {
 public:
  Steps(const std::string& name, bool verify) : dump_(name), verify_(verify) {}

  void made(const std::string& step, const graph::Graph& graph);
  void made(const std::string& step, const loop::Program& program);
  Dump& dump() { return dump_; }

 private:
  Dump dump_;
  bool verify_;
};

}  // namespace sinter::compiler
