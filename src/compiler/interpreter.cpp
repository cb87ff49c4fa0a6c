// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include <cstring>

#include "src/compiler/graph_executable.h"
#include "src/passes/channels_last.h"
#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public GraphExecutable {
 public:
  explicit Interpreter(graph::Graph graph) : GraphExecutable(graph), graph_(std::move(graph)) {
    const graph::Graph ordered = passes::channels_last(graph_);  // for the orders of its results alone
    for (size_t i = 0; i < ordered.outputs().size(); ++i) orders_.push_back(ordered.output_order(i));
  }

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    std::vector<reference::Array> inputs;
    for (const tensor::TensorImpl* t : a.inputs) {
      reference::Array array = reference::Array::zeros(t->dtype, t->shape);
      if (!array.data.empty()) tensor::read_elements(*t, array.data.data());
      inputs.push_back(std::move(array));
    }
    const std::vector<reference::Array> results = reference::interpret(graph_, inputs, a.symbols);
    for (size_t i = 0; i < results.size(); ++i) give(in_memory(results[i], orders_[i]), *outputs[i]);
  }

 private:
  /// Dim d of the result is dim order[d] of dense row-major memory (none: as it is).
  Tensor in_memory(const reference::Array& result, const Dims& order) const {
    if (order.empty()) {
      const Tensor made = tensor::empty(result.shape, result.dtype, Device::cpu());
      if (!result.data.empty()) std::memcpy(made.impl()->data(), result.data.data(), result.data.size());
      return on_device(made);
    }
    Dims memory = result.shape;
    for (size_t d = 0; d < order.size(); ++d) memory[static_cast<size_t>(order[d])] = result.shape[d];
    const Tensor made = tensor::empty(memory, result.dtype, Device::cpu());
    Dims strides = result.shape;
    for (size_t d = 0; d < order.size(); ++d) strides[d] = made.impl()->strides[static_cast<size_t>(order[d])];
    const auto bytes = static_cast<size_t>(result.dtype.bytes());
    const std::byte* from = result.data.data();
    reference::for_each_index(result.shape, [&](const Dims& index) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
      std::memcpy(static_cast<std::byte*>(made.impl()->data()) + static_cast<size_t>(at) * bytes, from, bytes);
      from += bytes;
    });
    const Tensor moved = on_device(made);
    return tensor::make_tensor(moved.impl()->storage, result.dtype, result.shape, strides);
  }

  Tensor on_device(const Tensor& t) const {
    return graph_.device.is_cpu() ? t : tensor::copy_to_device(t, graph_.device);
  }

  graph::Graph graph_;
  std::vector<Dims> orders_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(graph::Graph graph) {
  return std::make_shared<Interpreter>(std::move(graph));
}

}  // namespace sinter::compiler
