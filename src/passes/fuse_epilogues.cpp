// SPDX-License-Identifier: Apache-2.0
#include "src/passes/fuse_epilogues.h"

#include <sinter/pointwise.h>

#include <optional>
#include <utility>
#include <vector>

#include "src/graph/registry.h"
#include "src/ops/gemm.h"
#include "src/passes/rewriter.h"

namespace sinter::passes {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Value;

/// A product that may still take something: what it was given so far.
struct Product {
  std::vector<Value> operands;
  ops::Epilogue epilogue = ops::Epilogue::none;
  DType dtype;
};

std::optional<Product> product_of(const Node& n) {
  if (!graph::is_op(n, "gemm")) return std::nullopt;
  graph::AttributeReader attributes(n.attributes);
  Product p;
  p.operands = n.operands;
  p.epilogue = attributes.enumeration<ops::Epilogue>();
  p.dtype = attributes.dtype();
  return p.epilogue == ops::Epilogue::none ? std::optional(p) : std::nullopt;
}

class Fuser {
 public:
  Fuser(const Graph& g, const CallFilter& is_left_to_provider)
      : g_(g), is_left_to_provider_(is_left_to_provider), uses_(use_counts(g)), rewriter_(g) {}

  Graph run() {
    for (NodeId id = 0; id < g_.size(); ++id) {
      const Node& n = g_.node(id);
      if (n.op == nullptr) continue;
      if (const auto fused = try_fuse(n))
        rewriter_.replace(id, {*fused});
      else
        rewriter_.copy(id);
    }
    return rewriter_.finish();
  }

 private:
  /// The product that operand `i` is, if nothing else reads it. Looked up in the graph under construction, where it may
  /// have taken in something before.
  std::optional<Product> sole_product(const Node& n, size_t i) const {
    if (uses_[static_cast<size_t>(n.operands[i].node)] != 1) return std::nullopt;
    return product_of(rewriter_.to().node(rewriter_.mapped(n.operands[i]).node));
  }

  std::optional<Value> try_fuse(const Node& n) {
    if (graph::is_op(n, "add")) return try_bias(n);
    if (graph::is_op(n, "relu")) return try_activation(n, ops::Epilogue::relu);
    const bool by_tanh =
        graph::is_op(n, "gelu") && graph::AttributeReader(n.attributes).enumeration<Approximate>() == Approximate::tanh;
    const DType t = n.results[0].dtype;
    return by_tanh && (t == f16 || t == bf16) ? try_activation(n, ops::Epilogue::gelu_tanh) : std::nullopt;
  }

  std::optional<Value> try_bias(const Node& n) {
    if (n.operands.size() != 2 || n.results[0].dtype != f32) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      auto product = sole_product(n, i);
      const graph::ValueType& row = g_.type(n.operands[1 - i]);
      if (!product || product->operands.size() > 2 || row.dtype != f32 || row.rank() != 1) continue;
      if (g_.type(n.operands[i]).dtype != f32 || !(row.shape[0] == n.results[0].shape.back())) continue;
      if (rewriter_.to().type(product->operands[0]).dtype != f32 || g_.type(n.operands[i]).shape != n.results[0].shape)
        continue;
      product->operands.push_back(rewriter_.mapped(n.operands[1 - i]));
      return add(std::move(*product), n.line);
    }
    return std::nullopt;
  }

  std::optional<Value> try_activation(const Node& n, ops::Epilogue epilogue) {
    auto product = sole_product(n, 0);
    if (!product || product->dtype != n.results[0].dtype) return std::nullopt;
    product->epilogue = epilogue;
    return add(std::move(*product), n.line);
  }

  /// Adds the call if a library takes it. What it replaces, or itself if it is refused, is read by nothing then and
  /// dropped at the end.
  std::optional<Value> add(Product product, SourceLine line) {
    Graph& out = rewriter_.to();
    const NodeId id = out.add(*graph::find_op("gemm"), std::move(product.operands),
                              ops::gemm_attributes(product.epilogue, product.dtype), line);
    if (!is_left_to_provider_(out, out.node(id))) return std::nullopt;
    return Value{id, 0};
  }

  const Graph& g_;
  const CallFilter& is_left_to_provider_;
  std::vector<int> uses_;
  Rewriter rewriter_;
};

bool has_product(const Graph& g) {
  for (NodeId id = 0; id < g.size(); ++id)
    if (graph::is_op(g.node(id), "gemm")) return true;
  return false;
}

}  // namespace

Graph fuse_epilogues(const Graph& g, const CallFilter& is_left_to_provider) {
  if (!has_product(g)) return g;
  // The calls in the result all have a library: decomposing once more only drops the products that were taken over.
  return decompose(Fuser(g, is_left_to_provider).run(), [](const Graph&, const Node&) { return true; });
}

}  // namespace sinter::passes
