// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/interpreter.h"

#include <algorithm>
#include <cstring>

#include "src/lower/aliases.h"
#include "src/reference/interpret.h"

namespace sinter::compiler {
namespace {

class Interpreter final : public exec::Executable {
 public:
  explicit Interpreter(graph::Graph graph) : graph_(std::move(graph)), aliases_(lower::find_aliases(graph_)) {
    std::vector<graph::Value> values = graph_.outputs();
    for (const graph::Write& w : graph_.writes()) values.push_back(w.value);
    graph_.set_outputs(std::move(values));
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
    for (size_t i = 0; i < outputs.size(); ++i) fill(i, results[i], a, outputs);
    for (size_t i = 0; i < graph_.writes().size(); ++i)
      tensor::write_elements(*a.inputs[static_cast<size_t>(graph_.writes()[i].input)],
                             results[outputs.size() + i].data.data());
  }

 private:
  /// Output i: its value in memory of its own, or where it is a view of.
  void fill(size_t i, const reference::Array& result, const exec::Arguments& a,
            std::span<tensor::TensorImpl* const> outputs) const {
    tensor::TensorImpl& out = *outputs[i];
    out.dtype = result.dtype;
    out.device = Device::cpu();
    out.shape = result.shape;
    const auto alias = std::ranges::find(aliases_, static_cast<int>(i), &loop::Alias::output);
    if (alias == aliases_.end()) {
      const Tensor made = tensor::empty(result.shape, result.dtype, Device::cpu());
      if (!result.data.empty()) std::memcpy(made.impl()->data(), result.data.data(), result.data.size());
      out.storage = made.impl()->storage;
      out.offset = 0;
      out.strides = made.impl()->strides;
      return;
    }
    const auto value = [&](graph::Expr e) {
      return graph::evaluate(e, [&](graph::Expr leaf) { return a.symbols[static_cast<size_t>(leaf.id())]; });
    };
    const auto base = static_cast<size_t>(alias->base);
    const tensor::TensorImpl& of = alias->of_output ? *outputs[base] : *a.inputs[base];
    out.storage = of.storage;
    out.offset = tensor::offset_as(of, out.dtype) + value(alias->offset);
    out.strides = {};
    for (const graph::Expr e : alias->strides) out.strides.push_back(value(e));
  }

  graph::Graph graph_;  ///< what it writes are outputs, after its own
  std::vector<loop::Alias> aliases_;
  exec::Plan plan_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_interpreter(graph::Graph graph) {
  return std::make_shared<Interpreter>(std::move(graph));
}

}  // namespace sinter::compiler
