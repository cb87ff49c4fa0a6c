// SPDX-License-Identifier: Apache-2.0
#include "src/passes/fold_batch_norm.h"

#include <algorithm>
#include <span>

#include "src/graph/registry.h"
#include "src/ops/batch_norm.h"
#include "src/ops/convolution.h"
#include "src/ops/graph_writer.h"
#include "src/passes/constant_nodes.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

class Pass {
 public:
  Pass(const Graph& g, const std::vector<bool>& frozen)
      : g_(g), constant_(constant_nodes(g, frozen)), uses_(use_counts(g)), rewrite_(g) {}

  Graph run() {
    for (NodeId id = 0; id < g_.size(); ++id) {
      const Node& n = g_.node(id);
      if (n.op == nullptr) continue;
      if (folds(n))
        rewrite_.replace(id, {folded(n)});
      else
        rewrite_.copy(id);  // also a convolution that is folded away: nothing reads it any more
    }
    return rewrite_.finish();
  }

 private:
  bool all_constant(std::span<const Value> values) const {
    return std::ranges::all_of(values, [&](Value v) { return constant_[static_cast<size_t>(v.node)]; });
  }

  bool folds(const Node& norm) const {
    if (norm.op->name != "batch_norm" || norm.attributes.scalars[0].symbol >= 0) return false;
    const Value y = norm.operands[0];
    const Node& conv = g_.node(y.node);
    if (conv.op == nullptr || ops::spatial_dims(*conv.op) == 0 || !conv.results[0].dtype.is_floating()) return false;
    const ops::ConvWindow window = ops::read_window(conv.attributes);
    const bool batched = conv.results[0].shape.size() == window.stride.size() + 2;
    return batched && uses_[static_cast<size_t>(y.node)] == 1 && window.layout == ops::ConvLayout::channels_first &&
           window.activation == ops::ConvActivation::none && all_constant(std::span(conv.operands).subspan(1)) &&
           all_constant(std::span(norm.operands).subspan(1));
  }

  /// The convolution with the normalisation in its weights.
  Value folded(const Node& norm) {
    const Node& conv = g_.node(norm.operands[0].node);
    const DType dtype = conv.results[0].dtype, compute = scalar::compute_type(dtype);
    ops::GraphWriter write(rewrite_.to(), norm.line);
    Node moved = norm;
    moved.operands = rewrite_.mapped(norm.operands);
    const ops::BatchNormCall call = ops::read_batch_norm(moved);
    const std::vector<Value> operands = rewrite_.mapped(conv.operands);
    const Value scale = ops::batch_norm_scale(rewrite_.to(), call, compute, norm.line);
    const Value w = write.cast(operands[1], compute);
    const Value weights = write.binary<"mul">(w, write.column(scale, write.type(w).shape.size()));
    const Value mean = write.cast(call.mean, compute);
    const Value centre = operands.size() > 2 ? write.binary<"sub">(write.cast(operands[2], compute), mean)
                                             : write.add(ops::op<"neg">(), {mean}, {});
    Value bias = write.binary<"mul">(centre, scale);
    if (call.bias) bias = write.binary<"add">(bias, write.cast(*call.bias, compute));
    return write.add(*conv.op, {operands[0], write.cast(weights, dtype), write.cast(bias, dtype)}, conv.attributes);
  }

  const Graph& g_;
  const std::vector<bool> constant_;
  const std::vector<int> uses_;
  Rewriter rewrite_;
};

}  // namespace

Graph fold_batch_norm(const Graph& g, const std::vector<bool>& frozen) { return Pass(g, frozen).run(); }

}  // namespace sinter::passes
