// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "src/compiler/backends.h"
#include "src/compiler/graph_executable.h"
#include "src/graph/needed_nodes.h"
#include "src/graph/recorder.h"
#include "src/graph/user_code.h"
#include "src/reference/bind.h"

namespace sinter::compiler {
namespace {

class Eager final : public GraphExecutable {
 public:
  explicit Eager(const graph::Graph& graph)
      : GraphExecutable(graph), graph_(without_writes(graph)), needed_(graph::needed_nodes(graph_)) {}

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    const graph::UserCode at_once(this, "backend \"eager\"");
    const reference::Binding binding(a.symbols);
    std::vector<Tensor> values(static_cast<size_t>(graph_.size()));
    const std::vector<Tensor> inputs = shared_handles(a.inputs);
    for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph_.inputs()[i].node)] = inputs[i];
    for (graph::NodeId id = 0; id < graph_.size(); ++id)
      if (graph_.node(id).op != nullptr && needed_[static_cast<size_t>(id)])
        values[static_cast<size_t>(id)] = run_node(binding.literal(graph_.node(id)), values);
    std::vector<Tensor> results;
    for (graph::Value v : graph_.outputs()) results.push_back(values[static_cast<size_t>(v.node)]);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!is_view(i)) results[i] = apart(results, inputs, i);
    give_outputs(a, results, outputs);
    write_inputs(inputs, std::span(results).subspan(outputs.size()));
  }

 private:
  static Tensor run_node(const graph::Node& node, const std::vector<Tensor>& values) {
    std::vector<const Tensor*> operands;
    for (graph::Value v : node.operands) operands.push_back(&values[static_cast<size_t>(v.node)]);
    const graph::CallAttributes attributes = graph::CallAttributes::of(node.attributes);
    return graph::current_recorder().call({node.op, operands, &attributes, node.line});
  }

  /// Result i, which is no view: a value that leaves twice has memory of its own each time.
  static Tensor apart(const std::vector<Tensor>& results, const std::vector<Tensor>& inputs, size_t i) {
    const auto shares = [&](const Tensor& t) { return t.impl()->storage == results[i].impl()->storage; };
    const bool is_shared = std::ranges::any_of(inputs, shares) ||
                           std::any_of(results.begin(), results.begin() + static_cast<ptrdiff_t>(i), shares);
    return is_shared ? tensor::copy_of(results[i]) : results[i];
  }

  graph::Graph graph_;
  std::vector<bool> needed_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_eager(const graph::Graph& graph) { return std::make_shared<Eager>(graph); }

}  // namespace sinter::compiler
