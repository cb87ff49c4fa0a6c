// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/exec/executable.h"
#include "src/graph/graph.h"
#include "src/tensor/impl.h"

namespace sinter::compiler {

/// An executable that runs a graph without a plan of kernels: its plan only says for which device and inputs it is.
class GraphExecutable : public exec::Executable {
 public:
  explicit GraphExecutable(const graph::Graph& graph) {
    plan_.name = graph.name;
    plan_.device = graph.device;
    plan_.input_count = static_cast<int32_t>(graph.inputs().size());
    plan_.symbol_count = graph.symbol_count();
  }

  const exec::Plan& plan() const override { return plan_; }
  std::span<const exec::LoadedKernel> kernels() const override { return {}; }
  int64_t launches() const override { return 0; }

 protected:
  static std::vector<Tensor> shared_handles(std::span<tensor::TensorImpl* const> tensors) {
    std::vector<Tensor> handles;
    for (tensor::TensorImpl* t : tensors) {
      tensor::retain(t);
      handles.push_back(Tensor::adopt(t));
    }
    return handles;
  }
  /// The output becomes another handle of the result's data.
  static void give(const Tensor& result, tensor::TensorImpl& output) {
    const tensor::TensorImpl& t = *result.impl();
    output.dtype = t.dtype;
    output.device = t.device;
    output.storage = t.storage;
    output.offset = t.offset;
    output.shape = t.shape;
    output.strides = t.strides;
  }

 private:
  exec::Plan plan_;
};

}  // namespace sinter::compiler
