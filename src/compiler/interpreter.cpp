// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include "src/compiler/graph_executable.h"
#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public GraphExecutable {
 public:
  explicit Interpreter(const graph::Graph& graph)
      : GraphExecutable(graph), graph_(without_writes(graph)), writes_(graph.writes()) {}

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    std::vector<reference::Array> inputs;
    for (const tensor::TensorImpl* t : a.inputs) {
      reference::Array array = reference::Array::zeros(t->dtype, t->shape);
      if (!array.data.empty()) tensor::read_elements(*t, array.data.data());
      inputs.push_back(std::move(array));
    }
    const std::vector<reference::Array> results = reference::interpret(graph_, inputs, a.symbols);
    std::vector<Tensor> values(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (is_view(i)) continue;
      values[i] = make_output(i, results[i].shape);
      tensor::write_elements(*values[i].impl(), results[i].data.data());
    }
    give_outputs(a, values, outputs);
    for (size_t i = 0; i < writes_.size(); ++i)
      tensor::write_elements(*a.inputs[static_cast<size_t>(writes_[i].input)], results[outputs.size() + i].data.data());
  }

 private:
  graph::Graph graph_;
  std::vector<graph::Write> writes_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(const graph::Graph& graph) {
  return std::make_shared<Interpreter>(graph);
}

}  // namespace sinter::compiler
