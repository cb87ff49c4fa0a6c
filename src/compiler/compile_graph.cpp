// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "src/compiler/backends.h"
#include "src/compiler/compile.h"
#include "src/compiler/recorded_graph.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace {

/// A graph with an executable for inputs that are 16-byte aligned and one for others, each made when first needed.
class CompiledGraph {
 public:
  CompiledGraph(const RecordedGraph& recorded, std::string backend)
      : recorded_(recorded), graph_(compiler::graph_of(recorded)), backend_(std::move(backend)) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs) {
    check(inputs);
    std::vector<tensor::TensorImpl*> in, out;
    for (const Tensor& t : inputs) in.push_back(t.impl());
    std::vector<Tensor> results;
    for (size_t i = 0; i < recorded_.outputs.size(); ++i) {
      results.push_back(Tensor::adopt(tensor::new_impl()));
      out.push_back(results.back().impl());
    }
    executable(in).run({in, {}}, out);
    return results;
  }

 private:
  void check(std::span<const Tensor> inputs) const {
    const auto refuse = [&](std::string what) {
      throw UserError({"compile_graph", fmt::format("graph \"{}\": {}", recorded_.name, what), {}, {}, {}});
    };
    if (inputs.size() != recorded_.inputs.size())
      refuse(fmt::format("{} inputs, not {}", inputs.size(), recorded_.inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      const RecordedValue& v = recorded_.values[static_cast<size_t>(recorded_.inputs[i])];
      const tensor::TensorImpl& t = tensor::readable(inputs[i], "compile_graph");
      const bool dense = tensor::is_contiguous(t.shape, t.strides) && tensor::is_contiguous(v.shape, v.strides);
      if (t.dtype != v.dtype || t.shape != v.shape || t.device != recorded_.device ||
          (!dense && t.strides != v.strides))
        refuse(fmt::format("input {} is {} on {} with strides {}; expected {} {} on {} with strides {}", i,
                           tensor::describe(inputs[i]), t.device.text(), t.strides.text(), v.dtype.name(),
                           v.shape.text(), recorded_.device.text(), v.strides.text()));
    }
  }

  const exec::Executable& executable(std::span<tensor::TensorImpl* const> inputs) {
    uintptr_t low_bits = 0;
    for (const tensor::TensorImpl* t : inputs) low_bits |= reinterpret_cast<uintptr_t>(t->data());
    const bool aligned = (low_bits & 15) == 0 || !compiler::generates_code(backend_);
    std::scoped_lock lock(mutex_);
    auto& made = executables_[aligned];
    if (!made) made = compiler::compile(graph_, {.backend = backend_, .aligned = aligned}).executable;
    return *made;
  }

  RecordedGraph recorded_;
  graph::Graph graph_;
  std::string backend_;
  std::mutex mutex_;
  std::array<std::shared_ptr<const exec::Executable>, 2> executables_;
};

}  // namespace

GraphFunction compile_graph(const RecordedGraph& graph, const std::string& backend) {
  compiler::check_backend(backend, {});
  const auto compiled = std::make_shared<CompiledGraph>(graph, backend);
  return [compiled](std::span<const Tensor> inputs) { return compiled->run(inputs); };
}

}  // namespace sinter
