// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include <cstring>

#include "src/passes/channels_last.h"
#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public exec::Executable {
 public:
  explicit Interpreter(graph::Graph graph) : graph_(std::move(graph)) {
    plan_.name = graph_.name;
    plan_.device = Device::cpu();
    plan_.input_count = static_cast<int32_t>(graph_.inputs().size());
    const graph::Graph ordered = passes::channels_last(graph_);  // for the orders of its results alone
    for (size_t i = 0; i < ordered.outputs().size(); ++i) orders_.push_back(ordered.output_order(i));
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
    for (size_t i = 0; i < results.size(); ++i) write(results[i], orders_[i], *outputs[i]);
  }

 private:
  /// Dim d of the result is dim order[d] of dense row-major memory (none: as it is).
  static void write(const reference::Array& result, const Dims& order, tensor::TensorImpl& out) {
    Dims memory = result.shape;
    for (size_t d = 0; d < order.size(); ++d) memory[static_cast<size_t>(order[d])] = result.shape[d];
    const Tensor made = tensor::empty(memory, result.dtype, Device::cpu());
    const tensor::TensorImpl& t = *made.impl();
    out.dtype = t.dtype;
    out.device = t.device;
    out.storage = t.storage;
    out.offset = 0;
    out.shape = result.shape;
    out.strides = t.strides;
    if (order.empty()) {
      if (!result.data.empty()) std::memcpy(t.data(), result.data.data(), result.data.size());
      return;
    }
    for (size_t d = 0; d < order.size(); ++d) out.strides[d] = t.strides[static_cast<size_t>(order[d])];
    const auto bytes = static_cast<size_t>(result.dtype.bytes());
    const std::byte* from = result.data.data();
    reference::for_each_index(result.shape, [&](const Dims& index) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d) at += index[d] * out.strides[d];
      std::memcpy(static_cast<std::byte*>(t.data()) + static_cast<size_t>(at) * bytes, from, bytes);
      from += bytes;
    });
  }

  graph::Graph graph_;
  std::vector<Dims> orders_;
  exec::Plan plan_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(graph::Graph graph) {
  return std::make_shared<Interpreter>(std::move(graph));
}

}  // namespace sinter::compiler
