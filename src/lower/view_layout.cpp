// SPDX-License-Identifier: Apache-2.0
#include "src/lower/view_layout.h"

#include <algorithm>
#include <span>

#include "src/graph/registry.h"
#include "src/graph/seeded_fault.h"
#include "src/graph/text.h"
#include "src/loop/address.h"
#include "src/ops/extents.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::NodeId;

NodeId operand_of(const graph::Graph& g, NodeId id) { return g.node(id).operands[0].node; }

/// e / by, if that is known to be a whole number: also from what the type rule of a view assumed of an extent.
std::optional<Expr> divided(const graph::Graph& g, Expr e, int64_t by) {
  if (simplify(mod(e, by), g.ranges).is_constant(0)) return simplify(floordiv(e, by), g.ranges);
  if (e.kind() == Expr::Kind::product) {
    Expr others = 1;
    std::optional<Expr> quotient;
    for (Expr f : e.operands()) {
      const auto q = quotient ? std::nullopt : divided(g, f, by);
      if (q) quotient = q;
      if (!q) others = others * f;
    }
    return quotient ? std::optional(others * *quotient) : std::nullopt;
  }
  const Expr quotient = ops::simplify_extent(floordiv(e, by)), product = ops::simplify_extent(quotient * by);
  const bool assumed = std::ranges::any_of(g.assumptions(), [&](const auto& a) {
    return (a.first == product && a.second == e) || (a.first == e && a.second == product);
  });
  return assumed ? std::optional(quotient) : std::nullopt;
}

/// The same bytes as another dtype, by PyTorch's rules: elements of another size must lie side by side in the last dim,
/// and the larger ones begin at multiples of their size. Booleans are copied, since any byte but zero becomes true.
std::optional<StridedView> as_dtype(const graph::Graph& g, NodeId id, StridedView layout) {
  const graph::ValueType& operand = g.type({operand_of(g, id), 0});
  const int64_t from = operand.dtype.bytes(), to = g.type({id, 0}).dtype.bytes();
  if (g.type({id, 0}).dtype.is_boolean()) return std::nullopt;
  if (from == to) return layout;
  if (!layout.strides.back().is_constant(1) && !operand.shape.back().is_constant(1)) return std::nullopt;
  layout.strides.back() = 1;
  const auto in_new_elements = [&](Expr e) -> std::optional<Expr> {
    return from > to ? std::optional(e * (from / to)) : divided(g, e, to / from);
  };
  const auto offset = in_new_elements(layout.offset);
  if (!offset) return std::nullopt;
  layout.offset = *offset;
  for (size_t d = 0; d + 1 < layout.strides.size(); ++d) {
    const auto stride = operand.shape[d].is_constant(1) ? std::optional(Expr(1)) : in_new_elements(layout.strides[d]);
    if (!stride) return std::nullopt;
    layout.strides[d] = *stride;
  }
  return layout;
}

bool is_row_major(std::span<const Expr> shape, std::span<const Expr> strides) {
  Expr expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (!shape[d].is_constant(1) && strides[d] != expected) return false;
    expected = expected * shape[d];
  }
  return true;
}

std::optional<Dims> literal(std::span<const Expr> list) {
  Dims values;
  for (Expr e : list) {
    if (!e.constant()) return std::nullopt;
    values.push_back(*e.constant());
  }
  return values;
}

/// PyTorch's rule (computeStride): dims that lie in memory like one may be divided anew.
std::optional<Dims> reshaped_strides(const Dims& shape, const Dims& strides, const Dims& to) {
  Dims result = Dims::filled(to.size(), 1);
  if (shape.empty()) return result;
  size_t left = to.size();
  int64_t stride = strides[shape.size() - 1], run = 1, covered = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    run *= shape[d];
    const bool ends = d == 0 || (shape[d - 1] != 1 && strides[d - 1] != run * stride);
    if (!ends) continue;
    while (left > 0 && (covered < run || to[left - 1] == 1)) {
      result[--left] = covered * stride;
      covered *= to[left];
    }
    if (covered != run) return std::nullopt;
    if (d > 0) stride = strides[d - 1];
    run = covered = 1;
  }
  return left == 0 ? std::optional(result) : std::nullopt;
}

/// A view of a view.
std::optional<StridedView> in_memory_of(NodeId base, std::optional<StridedView> view) {
  if (view) view->base = base;
  return view;
}

/// Of a reshape: nothing if strides cannot express it; where symbols leave that open, what the addresses say.
std::optional<StridedView> reshaped(const graph::Graph& g, NodeId id, StridedView layout) {
  const std::vector<Expr>&from = g.type({operand_of(g, id), 0}).shape, &to = g.type({id, 0}).shape;
  const auto is_zero = [](Expr e) { return e.is_constant(0); };
  if (is_row_major(from, layout.strides) || std::ranges::any_of(from, is_zero)) {
    layout.strides = loop::row_major_strides(to);
    return layout;
  }
  const auto shape = literal(from), strides = literal(layout.strides), wanted = literal(to);
  if (!shape || !strides || !wanted) {
    return in_memory_of(layout.base, view_in(g, id, operand_of(g, id), {std::move(layout.strides), layout.offset}));
  }
  const auto result = reshaped_strides(*shape, *strides, *wanted);
  if (!result) return std::nullopt;
  layout.strides.assign(result->begin(), result->end());
  return layout;
}

StridedView own_memory(NodeId id, graph::Layout layout) { return {id, layout.offset, std::move(layout.strides)}; }

/// A view of something at a known place; nothing if strides do not express it.
std::optional<StridedView> viewed(const graph::Graph& g, NodeId id, NodeId base, StridedView layout) {
  const graph::OpDef& op = *g.node(id).op;
  if (op.may_copy && op.op_class != graph::OpClass::view) return as_dtype(g, id, std::move(layout));
  if (op.may_copy) return reshaped(g, id, std::move(layout));
  return in_memory_of(layout.base, view_in(g, id, base, {std::move(layout.strides), layout.offset}));
}

}  // namespace

bool is_view(const graph::Graph& g, NodeId id) {
  const graph::OpDef* op = g.node(id).op;
  if (op == nullptr) return false;
  const bool elided = op->op_class == graph::OpClass::indexed && planted(graph::Fault::copy_elided);  // tests only
  return op->scatter != nullptr || elided;
}

StridedView view_layout(const graph::Graph& g, NodeId id, const std::function<graph::Layout(NodeId base)>& layout_of) {
  if (!is_view(g, id)) return own_memory(id, layout_of(id));
  NodeId base = operand_of(g, id);  // views up to the next that may be a copy are followed in one go
  if (!g.node(id).op->may_copy)
    while (is_view(g, base) && !g.node(base).op->may_copy) base = operand_of(g, base);
  auto layout = viewed(g, id, base, view_layout(g, base, layout_of));
  return layout ? std::move(*layout) : own_memory(id, graph::contiguous_layout(g.type({id, 0}).shape));
}

}  // namespace sinter::lower
