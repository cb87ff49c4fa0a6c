// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/exec/library/provider.h"
#include "src/graph/graph.h"

namespace sinter::compiler {

/// Registers the providers that are kernels of the compiler's own: sorts and ordered folds on CUDA.
void register_compiled_providers();

/// What a provider is told of a call while compiling: dtypes, shapes as far as they are literal, attributes.
exec::CallDescription describe(const graph::Graph& graph, const graph::Node& call);

/// Decides who computes the calls of one graph: the first provider that supports a call, or generated kernels if none
/// does. Equal calls get equal answers.
class LibraryChoice {
 public:
  explicit LibraryChoice(Device device) : device_(device) {}
  /// nullptr: none. Why each one refused becomes a note.
  const exec::Provider* provider(const graph::Graph& graph, const graph::Node& call);
  /// Is there a provider? Says nothing if not: for calls that would only replace others.
  bool has_provider(const graph::Graph& graph, const graph::Node& call) const;
  /// "matmul f16 [8,8] f16 [8,8]: no library: cublaslt: tried libcublasLt.so.13: not found"
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Device device_;
  std::vector<std::string> notes_;
};

/// The same, but throws CompileError with the reasons if nobody computes a call that cannot be taken apart.
const exec::Provider& required_provider(const exec::CallDescription& call, Device device);

/// What decides these choices besides the graph: name and identity of every provider that serves an op which the graph
/// has, or decomposes into. Empty for graphs without calls: no library is opened for them.
std::string library_identity(const graph::Graph& graph);

}  // namespace sinter::compiler
