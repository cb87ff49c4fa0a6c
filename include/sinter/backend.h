// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/attribute.h>
#include <sinter/error.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Backends of one's own: what turns a recorded graph into something that runs. A backend gets the graph as plain data
// and may count, check or rewrite it, run it op by op, give it to another library, or hand it on to compile_graph().
#pragma GCC visibility push(default)
namespace sinter {

/// A value of a graph: an input or the result of an op.
struct RecordedValue {
  DType dtype;
  Dims shape;
  Dims strides;  ///< of inputs, in elements; results have none before they are computed
};

/// One op. Numbers among its arguments are attributes: add(x, 1) has the operand x and rhs = 1.
struct RecordedOp {
  std::string name;           ///< that of the public function: "add", "permute", "sum"
  std::vector<int> operands;  ///< indices into RecordedGraph::values
  std::vector<int> results;
  std::vector<Attribute> attributes;
  SourceLine line;  ///< where the function called it

  /// The value of an attribute; UserError if the op has none of that name.
  const AttributeValue& attribute(std::string_view name) const;
};

/// A region of a compiled function: what was recorded between two points where the host needed a value, for inputs of
/// given shapes, strides, dtypes and device. Extents and numbers are literals.
struct RecordedGraph {
  std::string name;  ///< of the compiled function
  Device device;     ///< where all values are
  std::vector<RecordedValue> values;
  std::vector<int> inputs;      ///< indices into `values`, in the order in which calls pass them
  std::vector<RecordedOp> ops;  ///< each after those it reads
  /// Indices into `values`: what a run returns, in this order. New contents of inputs that in-place ops write come
  /// last: Sinter stores them there, and the graph itself writes nothing.
  std::vector<int> outputs;

  /// One line a value and op: `%2 f32 [4,3] = add(%0) lhs=none, rhs=1   // pose.cpp:12`.
  std::string text() const;
};

/// Computes a graph's outputs from its inputs, on the current stream of the graph's device. It is called for all
/// tensors that fit the graph, also from several threads at once. Results must have the dtypes and shapes of the
/// graph's outputs and be on its device (UserError otherwise); strides are its own choice.
using GraphFunction = std::function<std::vector<Tensor>(std::span<const Tensor> inputs)>;

/// Makes a function of a graph. Called once for every graph, when it is first needed.
using GraphCompiler = std::function<GraphFunction(const RecordedGraph& graph)>;

/// Adds a backend: `compile(f, {.backend = name})` gives each region of f to `compiler`.
///
/// Inputs of other shapes, and other numbers, are another graph. After CompileOptions::max_entries graphs of one trace
/// further ones run op by op (backend "eager"), with a warning; Dynamic::never lifts the limit. Regions with values
/// that are others in every call, such as the places of random draws, run op by op as well. Inside `compiler` and the
/// functions it makes Sinter's ops run at once and compiled functions may be called, but not the function that is being
/// run. Exceptions reach the caller of the compiled function as they are. A backend stays for the life of the process.
/// UserError for an empty name, one that is taken, and an empty function.
void register_backend(const std::string& name, const GraphCompiler& compiler, SourceLine line = SourceLine::current());

/// The names that CompileOptions::backend takes, sorted: "eager" (op by op, through the entries that ops outside of
/// compile() use: the same bits), "reference" (the slow interpreter, on the CPU whatever the device), "sinter", and
/// the registered ones.
std::vector<std::string> backends();

/// Runs one op of a graph, possibly changed, on tensors. UserError for an unknown op or attributes that do not fit it.
std::vector<Tensor> run_op(const RecordedOp& op, std::span<const Tensor> operands);

/// Compiles a graph, possibly changed, with another backend. The function it returns checks that its inputs fit the
/// graph (UserError). UserError for an unknown backend, and for a graph that is none: an unknown op, operands that come
/// later, types that the op does not give.
GraphFunction compile_graph(const RecordedGraph& graph, const std::string& backend = "sinter");

}  // namespace sinter
#pragma GCC visibility pop
