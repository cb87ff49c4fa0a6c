// SPDX-License-Identifier: Apache-2.0
#include "src/passes/channels_last.h"

#include <algorithm>
#include <optional>

#include "src/graph/registry.h"
#include "src/ops/batch_norm.h"
#include "src/ops/convolution.h"
#include "src/ops/graph_writer.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

/// [N,C,S...] with two or three spatial dims.
bool may_be_channels_last(const graph::ValueType& t) { return t.rank() == 4 || t.rank() == 5; }

/// Dense with the channel as innermost dim, and not row-major at the same time.
bool is_channels_last(const graph::ValueType& t, const graph::Layout& layout) {
  if (!may_be_channels_last(t)) return false;
  const size_t rank = t.shape.size();
  Expr expected = 1;
  bool row_major = true;
  const auto place = [&](size_t d) {
    const bool counts = !t.shape[d].is_constant(1);
    const bool fits = !counts || layout.strides[d] == expected;
    expected = expected * t.shape[d];
    return fits;
  };
  if (!place(1)) return false;
  for (size_t d = rank; d-- > 2;)
    if (!place(d)) return false;
  if (!place(0)) return false;
  expected = 1;
  for (size_t d = rank; d-- > 0;) row_major = place(d) && row_major;
  return !row_major;
}

/// Dims of a channels-first value in the order of its channels-last twin, and the way back.
Dims last_order(size_t rank) {
  Dims order{0};
  for (size_t d = 2; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  order.push_back(1);
  return order;
}
Dims first_order(size_t rank) {
  Dims order{0, static_cast<int64_t>(rank - 1)};
  for (size_t d = 1; d + 1 < rank; ++d) order.push_back(static_cast<int64_t>(d));
  return order;
}

/// Is each element computed from the elements at its own place, broadcast, and from nothing that names a dim?
bool is_placeless(const graph::OpDef& op) {
  using enum graph::ParamKind;
  if (op.write_role != graph::WriteRole::none) return false;  // what is written keeps its dims: they are the memory's
  return op.op_class == graph::OpClass::pointwise && std::ranges::all_of(op.params, [](const graph::Param& p) {
           return p.kind == number || p.kind == optional_number || p.kind == dtype || p.kind == flag ||
                  p.kind == enumeration;
         });
}

class ChannelsLast {
 public:
  explicit ChannelsLast(const Graph& g) : g_(g), rewrite_(g), last_(static_cast<size_t>(g.size())) {}

  Graph run() {
    for (size_t i = 0; i < g_.inputs().size(); ++i) {
      const Value v = g_.inputs()[i];
      if (is_channels_last(g_.type(v), g_.input_layout(i))) keep(v.node, permuted(rewrite_.mapped(v)));
    }
    for (NodeId id = 0; id < g_.size(); ++id)
      if (const Node& n = g_.node(id); n.op != nullptr && !rewrite_node(id, n)) rewrite_.copy(id);
    Graph out = rewrite_.finish();
    const std::vector<Value> outputs = out.outputs();
    out.set_outputs({});
    for (size_t i = 0; i < outputs.size(); ++i) add_output(out, i, outputs[i]);
    return out;
  }

 private:
  void add_output(Graph& out, size_t i, Value mapped) const {
    const NodeId old = g_.outputs()[i].node;
    if (const auto& twin = last_[static_cast<size_t>(old)]; twin && g_.node(old).op != nullptr)
      out.add_output(*twin, first_order(out.type(*twin).shape.size()));
    else
      out.add_output(mapped, g_.output_order(i));
  }

  bool is_last(Value old) const { return last_[static_cast<size_t>(old.node)].has_value(); }
  void keep(NodeId old, Value twin) { last_[static_cast<size_t>(old)] = twin; }

  Value permuted(Value v) {
    return ops::GraphWriter(rewrite_.to(), {}).permute(v, last_order(rewrite_.to().type(v).shape.size()));
  }

  /// The channels-last twin of a value; a view of it where it is not kept as one.
  Value twin(Value old) {
    const auto& kept = last_[static_cast<size_t>(old.node)];
    return kept ? *kept : permuted(rewrite_.mapped(old));
  }

  /// The twin of an operand that broadcasts to `rank` dims.
  Value broadcast_twin(Value old, size_t rank) {
    const std::vector<Expr>& shape = g_.type(old).shape;
    if (shape.size() == rank) return twin(old);
    if (shape.empty()) return rewrite_.mapped(old);
    std::vector<Expr> full(rank - shape.size(), Expr(1));
    full.insert(full.end(), shape.begin(), shape.end());
    return permuted(ops::GraphWriter(rewrite_.to(), {}).reshape(rewrite_.mapped(old), full));
  }

  bool rewrite_node(NodeId id, const Node& n) {
    if (n.results.size() != 1 || !may_be_channels_last(n.results[0])) return false;
    if (ops::spatial_dims(*n.op) != 0) return rewrite_convolution(id, n);
    if (n.op->name == "batch_norm") return rewrite_batch_norm(id, n);
    return is_placeless(*n.op) && rewrite_pointwise(id, n);
  }

  void replace(NodeId id, const Node& n, std::vector<Value> operands, graph::Attributes attributes) {
    const Value made{rewrite_.to().add(*n.op, std::move(operands), std::move(attributes), n.line), 0};
    keep(id, made);
    const size_t rank = n.results[0].shape.size();
    rewrite_.replace(id, {ops::GraphWriter(rewrite_.to(), n.line).permute(made, first_order(rank))});
  }

  bool rewrite_convolution(NodeId id, const Node& n) {
    ops::ConvWindow window = ops::read_window(n.attributes);
    const bool batched = n.results[0].shape.size() == window.stride.size() + 2;
    const bool wanted = batched && window.stride.size() > 1 && (is_last(n.operands[0]) || is_last(n.operands[1]));
    if (!wanted || window.layout != ops::ConvLayout::channels_first) return false;
    std::vector<Value> operands{twin(n.operands[0]), twin(n.operands[1])};
    if (n.operands.size() > 2) operands.push_back(rewrite_.mapped(n.operands[2]));
    window.layout = ops::ConvLayout::channels_last;
    replace(id, n, std::move(operands), window.attributes());
    return true;
  }

  bool rewrite_batch_norm(NodeId id, const Node& n) {
    if (!is_last(n.operands[0])) return false;
    std::vector<Value> operands = rewrite_.mapped(n.operands);
    operands[0] = twin(n.operands[0]);
    replace(id, n, std::move(operands), ops::channels_last_batch_norm(n.attributes));
    return true;
  }

  bool rewrite_pointwise(NodeId id, const Node& n) {
    const auto full = [&](Value v) { return g_.type(v).shape == n.results[0].shape; };
    const auto first = std::ranges::find_if(n.operands, full);
    if (first == n.operands.end() || !is_last(*first)) return false;
    std::vector<Value> operands;
    for (Value v : n.operands) operands.push_back(broadcast_twin(v, n.results[0].shape.size()));
    replace(id, n, std::move(operands), n.attributes);
    return true;
  }

  const Graph& g_;
  Rewriter rewrite_;
  std::vector<std::optional<Value>> last_;  ///< by old node: the channels-last twin that it is kept as
};

}  // namespace

Graph channels_last(const Graph& g) {
  bool any = false;
  for (size_t i = 0; i < g.inputs().size(); ++i)
    any = any || is_channels_last(g.type(g.inputs()[i]), g.input_layout(i));
  return any ? ChannelsLast(g).run() : g;
}

}  // namespace sinter::passes
