// SPDX-License-Identifier: Apache-2.0
#include "src/passes/unroll_contractions.h"

#include <optional>
#include <vector>

#include "src/graph/registry.h"
#include "src/ops/gemm.h"
#include "src/passes/decompose.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

bool is_short(Expr extent) {
  const auto n = extent.constant();
  return n && *n >= 1 && *n <= most_unrolled_terms;
}

bool is_op(const Node& n, std::string_view name) { return n.op != nullptr && n.op->name == name; }

/// A sum of products over one short dim.
struct Contraction {
  const Node& product;
  size_t dim;
  int64_t terms;
  bool keepdim;
};

std::optional<Contraction> contraction_of(const Graph& g, const Node& sum, const std::vector<int>& uses) {
  if (!is_op(sum, "sum")) return std::nullopt;
  const Node& product = g.node(sum.operands[0].node);
  if (!is_op(product, "mul") || product.operands.size() != 2) return std::nullopt;
  const DType t = sum.results[0].dtype;
  if (uses[static_cast<size_t>(sum.operands[0].node)] != 1 || t != product.results[0].dtype ||
      t != scalar::compute_type(t) || t.is_boolean())
    return std::nullopt;
  const graph::ReductionSpec spec = sum.op->reduction(sum, g);
  if (spec.dims.size() != 1) return std::nullopt;
  const auto dim = static_cast<size_t>(spec.dims[0]);
  const Expr extent = product.results[0].shape[dim];
  if (!is_short(extent)) return std::nullopt;
  return Contraction{product, dim, *extent.constant(), spec.keepdim};
}

class Writer {
 public:
  Writer(Rewriter& r, const Contraction& c, SourceLine line) : r_(r), c_(c), line_(line) {}

  /// Terms [first, first + count) as a tree, neighbours first; what has no neighbour stays.
  Value sum() {
    std::vector<Value> level;
    for (int64_t k = 0; k < c_.terms; ++k) level.push_back(term(k));
    while (level.size() > 1) {
      std::vector<Value> next;
      for (size_t i = 0; i < level.size(); i += 2)
        next.push_back(i + 1 < level.size() ? binary("add", level[i], level[i + 1]) : level[i]);
      level = std::move(next);
    }
    return level[0];
  }

 private:
  Value binary(std::string_view op, Value a, Value b) {
    return ops::add_op(r_.to(), op, {a, b}, CallAttributes().flag(false).flag(false), line_);
  }

  Value term(int64_t k) {
    const Value a = factor(c_.product.operands[0], k), b = factor(c_.product.operands[1], k);
    const Value product = binary("mul", a, b);
    if (!c_.keepdim) return product;
    return ops::add_op(r_.to(), "unsqueeze", {product}, CallAttributes().integer(static_cast<int64_t>(c_.dim)), line_);
  }

  /// The operand without the dim, at position k of it.
  Value factor(Value operand, int64_t k) {
    const Value v = r_.mapped(operand);
    const auto& shape = r_.to().type(v).shape;
    const size_t rank = c_.product.results[0].shape.size(), missing = rank - shape.size();
    if (c_.dim < missing) return v;
    const size_t dim = c_.dim - missing;
    const int64_t position = shape[dim].is_constant(1) ? 0 : k;
    return ops::add_op(r_.to(), "select", {v}, CallAttributes().integer(static_cast<int64_t>(dim)).extent(position),
                       line_);
  }

  Rewriter& r_;
  const Contraction& c_;
  SourceLine line_;
};

}  // namespace

bool is_short_product(const Graph& graph, const Node& call) {
  return is_op(call, "gemm") && is_short(graph.type(call.operands[0]).shape.back());
}

Graph unroll_contractions(const Graph& graph) {
  Rewriter r(graph);
  const std::vector<int> uses = use_counts(graph);
  bool any = false;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& n = graph.node(id);
    if (n.op == nullptr) continue;
    if (const auto c = contraction_of(graph, n, uses)) {
      r.replace(id, {Writer(r, *c, n.line).sum()});
      any = true;
    } else {
      r.copy(id);
    }
  }
  if (!any) return graph;
  // Only drops the products that nothing reads any more.
  return decompose(r.finish(), [](const Graph&, const Node&) { return true; });
}

}  // namespace sinter::passes
