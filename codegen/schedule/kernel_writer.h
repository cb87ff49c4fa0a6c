// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/schedule/scheduled.h"
#include "codegen/schedule/target.h"
#include "codegen/tile/builder.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// One tile kernel under construction, and its parameters: whatever is written into it, a buffer, an expression over
/// symbols or a number is one parameter.
class KernelWriter {
 public:
  KernelWriter(const loop::Program& program, const Target& target, const std::string& name)
      : program_(program), target_(target), b_(name) {}

  const loop::Program& program() const { return program_; }
  const Target& target() const { return target_; }
  tile_ir::KernelBuilder& builder() { return b_; }

  /// Parameter indices.
  int pointer(int buffer, bool written);
  int status_pointer();
  /// A new one: memory of the launch that its programs share, `elements` (over symbols) of unknown content.
  int workspace(DType dtype, graph::Expr elements);
  /// Zero words for programs that meet.
  int arrivals();
  /// i64 scalar of an expression over symbols, which the host computes once a call.
  tile_ir::Value symbolic(graph::Expr e);
  /// A run-time number in a compute type.
  tile_ir::Value number(int symbol, DType type);

  /// The kernel with its grid and parameters; what a program costs is left to the caller.
  ScheduledKernel finish(graph::Expr grid, const std::vector<std::string>& comments, int num_warps);

 private:
  const loop::Program& program_;
  const Target& target_;
  tile_ir::KernelBuilder b_;
  std::map<int, int> pointers_;                   ///< buffer -> parameter
  std::unordered_map<graph::Expr, int> extents_;  ///< expression over symbols -> parameter
  std::map<std::pair<int, int>, int> numbers_;    ///< (symbol, compute type) -> parameter
  int status_ = -1, arrivals_ = -1;
  int workspaces_ = 0;
  graph::Expr workspace_bytes_;
  std::vector<ParameterSource> sources_;
};

}  // namespace sinter::schedule
