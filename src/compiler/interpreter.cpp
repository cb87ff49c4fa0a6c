// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include <cstring>

#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public exec::Executable {
 public:
  explicit Interpreter(graph::Graph graph) : graph_(std::move(graph)) {
    plan_.name = graph_.name;
    plan_.device = Device::cpu();
    plan_.input_count = static_cast<int32_t>(graph_.inputs().size());
  }

  const exec::Plan& plan() const override { return plan_; }
  std::span<const exec::LoadedKernel> kernels() const override { return {}; }
  int64_t launches() const override { return 0; }

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
      const tensor::TensorImpl& t = *made.impl();
      if (!results[i].data.empty()) std::memcpy(t.data(), results[i].data.data(), results[i].data.size());
      tensor::TensorImpl& out = *outputs[i];
      out.dtype = t.dtype;
      out.device = t.device;
      out.storage = t.storage;
      out.offset = 0;
      out.shape = t.shape;
      out.strides = t.strides;
    }
  }

 private:
  graph::Graph graph_;
  exec::Plan plan_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(graph::Graph graph) {
  return std::make_shared<Interpreter>(std::move(graph));
}

}  // namespace sinter::compiler
