// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/exec/executable.h"
#include "src/graph/graph.h"
#include "src/loop/program.h"
#include "src/tensor/impl.h"

namespace sinter::compiler {

/// An executable that runs a graph without a plan of kernels: its plan only says for which device and inputs it is.
class GraphExecutable : public exec::Executable {
 public:
  explicit GraphExecutable(const graph::Graph& graph);

  const exec::Plan& plan() const override { return plan_; }
  std::span<const exec::LoadedKernel> kernels() const override { return {}; }
  int64_t launches() const override { return 0; }

 protected:
  static std::vector<Tensor> shared_handles(std::span<tensor::TensorImpl* const> tensors);

  /// Values of the graph's outputs become the outputs, dense in the order of dims that the graph says; an output that
  /// is a view of an input or of another output becomes that, whatever `values` has for it.
  void give_outputs(const exec::Arguments& a, std::span<const Tensor> values,
                    std::span<tensor::TensorImpl* const> outputs) const;
  /// Is the output a view of other memory?
  bool is_view(size_t output) const { return alias_of(output) != nullptr; }
  /// Values become the contents of the inputs that the graph writes, by ops that run at once.
  void write_inputs(std::span<const Tensor> inputs, std::span<const Tensor> values) const;
  /// The value, or a copy of it if it lies in memory that write_inputs() is about to change.
  Tensor apart_from_writes(const exec::Arguments& a, const Tensor& value) const;
  /// A tensor of the output's dims in their order, without contents.
  Tensor make_output(size_t output, const Dims& shape) const;

 private:
  const loop::Alias* alias_of(size_t output) const;
  Tensor in_order(size_t output, const Tensor& value) const;
  void give_view(const exec::Arguments& a, size_t output, std::span<tensor::TensorImpl* const> outputs) const;

  exec::Plan plan_;
  std::vector<graph::ValueType> types_;  ///< of the outputs
  std::vector<Dims> orders_;             ///< of the outputs: Graph::output_order()
  std::vector<loop::Alias> aliases_;
  std::vector<int> written_;  ///< inputs
};

/// The graph with what it writes as outputs, after its own: nothing but a function of its inputs.
graph::Graph without_writes(const graph::Graph& graph);

}  // namespace sinter::compiler
