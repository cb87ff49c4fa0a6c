// SPDX-License-Identifier: Apache-2.0
#include "src/passes/split_constants.h"

#include <algorithm>

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/ops/convolution.h"
#include "src/passes/constant_nodes.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

int64_t elements(const graph::ValueType& t) {
  int64_t n = 1;
  for (graph::Expr e : t.shape) n *= e.constant().value_or(0);
  return n;
}

class Splitter {
 public:
  Splitter(const Graph& g, const std::vector<bool>& frozen)
      : g_(g), constant_(constant_nodes(g, frozen)), needs_(static_cast<size_t>(g.size())) {
    for (size_t i = 0; i < g.inputs().size(); ++i) {
      const NodeId id = g.inputs()[i].node;
      if (!is_constant(id)) continue;
      needs_[static_cast<size_t>(id)] = {i};
      frozen_elements_ += elements(g.node(id).results[0]);
    }
    for (NodeId id = 0; id < g.size(); ++id) note_needs(id);
  }

  std::optional<SplitGraph> run() {
    find_taken();
    if (std::ranges::find(taken_, true) == taken_.end()) return std::nullopt;
    SplitGraph split{constants(), rest(), {}};
    for (NodeId id = 0; id < g_.size(); ++id)
      if (taken_[static_cast<size_t>(id)])
        for (size_t input : needs_[static_cast<size_t>(id)]) split.frozen_inputs.push_back(input);
    std::ranges::sort(split.frozen_inputs);
    const auto repeated = std::ranges::unique(split.frozen_inputs);
    split.frozen_inputs.erase(repeated.begin(), repeated.end());
    return split;
  }

 private:
  bool is_constant(NodeId id) const { return constant_[static_cast<size_t>(id)]; }

  void note_needs(NodeId id) {
    std::vector<size_t>& needs = needs_[static_cast<size_t>(id)];
    if (g_.node(id).op == nullptr || !is_constant(id)) return;
    for (Value v : g_.node(id).operands)
      for (size_t input : needs_[static_cast<size_t>(v.node)])
        if (std::ranges::find(needs, input) == needs.end()) needs.push_back(input);
  }

  /// Is it an input in other words?
  bool is_view_of_input(NodeId id) const {
    while (g_.node(id).op != nullptr && g_.node(id).op->op_class == graph::OpClass::view)
      id = g_.node(id).operands[0].node;
    return g_.node(id).op == nullptr;
  }

  static bool shares_memory(const Node& n) {
    return n.op != nullptr && (n.op->op_class == graph::OpClass::view || n.op->scatter != nullptr);
  }

  /// Values that a result is, or is a view of: results are fresh memory on every call.
  std::vector<bool> shown() const {
    std::vector<bool> is_shown(static_cast<size_t>(g_.size()));
    for (Value v : g_.outputs())
      for (NodeId id = v.node;; id = g_.node(id).operands[0].node) {
        is_shown[static_cast<size_t>(id)] = true;
        if (!shares_memory(g_.node(id))) break;
      }
    return is_shown;
  }

  void find_taken() {
    taken_.assign(static_cast<size_t>(g_.size()), false);
    const std::vector<bool> needed = graph::needed_nodes(g_), is_shown = shown();
    for (NodeId id = 0; id < g_.size(); ++id) {
      const Node& reader = g_.node(id);
      if (reader.op == nullptr || is_constant(id) || !needed[static_cast<size_t>(id)]) continue;
      for (Value v : reader.operands) {
        const Node& n = g_.node(v.node);
        const bool computed = n.op != nullptr && is_constant(v.node) && !needs_[static_cast<size_t>(v.node)].empty();
        const bool wanted = ops::spatial_dims(*reader.op) != 0 || !is_view_of_input(v.node);
        if (computed && wanted && !is_shown[static_cast<size_t>(v.node)] && n.results.size() == 1 &&
            elements(n.results[0]) <= frozen_elements_)
          taken_[static_cast<size_t>(v.node)] = true;
      }
    }
  }

  Graph constants() const {
    Rewriter rewrite(g_);
    for (NodeId id = 0; id < g_.size(); ++id)
      if (g_.node(id).op != nullptr && is_constant(id)) rewrite.copy(id);
    for (NodeId id = 0; id < g_.size(); ++id)
      if (taken_[static_cast<size_t>(id)]) rewrite.to().add_output(rewrite.mapped({id, 0}));
    rewrite.to().name += "_constants";
    return std::move(rewrite.to());
  }

  Graph rest() const {
    Rewriter rewrite(g_);
    for (NodeId id = 0; id < g_.size(); ++id)
      if (taken_[static_cast<size_t>(id)])
        rewrite.replace(id, {rewrite.to().add_input(g_.node(id).results[0], {}, g_.node(id).line)});
    for (NodeId id = 0; id < g_.size(); ++id)
      if (g_.node(id).op != nullptr && !taken_[static_cast<size_t>(id)]) rewrite.copy(id);
    return rewrite.finish();
  }

  const Graph& g_;
  const std::vector<bool> constant_;
  std::vector<std::vector<size_t>> needs_;  ///< by constant node: the frozen inputs it is computed from
  std::vector<bool> taken_;
  int64_t frozen_elements_ = 0;
};

}  // namespace

std::optional<SplitGraph> split_constants(const Graph& g, const std::vector<bool>& frozen) {
  return Splitter(g, frozen).run();
}

}  // namespace sinter::passes
