// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include <cstring>

#include "src/compiler/graph_executable.h"
#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public GraphExecutable {
 public:
  explicit Interpreter(graph::Graph graph) : GraphExecutable(graph), graph_(std::move(graph)) {}

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    std::vector<reference::Array> inputs;
    for (const tensor::TensorImpl* t : a.inputs) {
      reference::Array array = reference::Array::zeros(t->dtype, t->shape);
      if (!array.data.empty()) tensor::read_elements(*t, array.data.data());
      inputs.push_back(std::move(array));
    }
    const std::vector<reference::Array> results = reference::interpret(graph_, inputs, a.symbols);
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor made = tensor::empty(results[i].shape, results[i].dtype, Device::cpu());
      if (!results[i].data.empty()) std::memcpy(made.impl()->data(), results[i].data.data(), results[i].data.size());
      give(graph_.device.is_cpu() ? made : tensor::copy_to_device(made, graph_.device), *outputs[i]);
    }
  }

 private:
  graph::Graph graph_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(graph::Graph graph) {
  return std::make_shared<Interpreter>(std::move(graph));
}

}  // namespace sinter::compiler
