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
      : GraphExecutable(graph), graph_(graph), needed_(graph::needed_nodes(graph)) {}

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
    for (size_t i = 0; i < results.size(); ++i) give(apart(results, inputs, i), *outputs[i]);
  }

 private:
  static Tensor run_node(const graph::Node& node, const std::vector<Tensor>& values) {
    std::vector<const Tensor*> operands;
    for (graph::Value v : node.operands) operands.push_back(&values[static_cast<size_t>(v.node)]);
    const graph::CallAttributes attributes = graph::CallAttributes::of(node.attributes);
    return graph::current_recorder().call({node.op, operands, &attributes, node.line});
  }

  /// Result i. Views of one computed value share its memory when ops run one by one; as outputs of a region each has
  /// its own, as with every other backend.
  static Tensor apart(const std::vector<Tensor>& results, const std::vector<Tensor>& inputs, size_t i) {
    const auto shares = [&](const Tensor& t) { return t.impl()->storage == results[i].impl()->storage; };
    if (std::ranges::any_of(inputs, shares) ||
        std::none_of(results.begin(), results.begin() + static_cast<ptrdiff_t>(i), shares))
      return results[i];
    return tensor::copy_of(results[i]);
  }

  graph::Graph graph_;
  std::vector<bool> needed_;
};

}  // namespace

std::shared_ptr<const exec::Executable> make_eager(const graph::Graph& graph) { return std::make_shared<Eager>(graph); }

}  // namespace sinter::compiler
