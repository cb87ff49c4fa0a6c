// SPDX-License-Identifier: Apache-2.0
#include "src/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/graph/registry.h"
#include "src/graph/text.h"

namespace sinter::graph {

Value Graph::add_input(ValueType type, std::optional<Layout> layout, SourceLine line) {
  if (!layout) layout = contiguous_layout(type.shape);
  Node n;
  n.results.push_back(std::move(type));
  n.line = line;
  nodes_.push_back(std::move(n));
  const Value v{size() - 1, 0};
  inputs_.push_back(v);
  layouts_.push_back(std::move(*layout));
  return v;
}

namespace {

void check_extents(const InferContext& context, const Attributes& attributes) {
  for (const Scalar& s : attributes.scalars) {
    const auto v = s.is_extent ? s.expr.constant() : std::nullopt;
    if (v && (*v > max_extent || *v < -max_extent))
      context.fail(fmt::format("{} is no extent or offset that a tensor can have", *v));
  }
}

/// Neither more elements along a dim, nor more bytes in all, than 64-bit arithmetic can address. Empty tensors are not
/// excepted: their strides are computed as well.
void check_size(const InferContext& context, const ValueType& type) {
  int64_t bytes = std::max(type.dtype.bytes(), 1);
  bool too_large = false;
  std::string shape;
  for (Expr e : type.shape) {
    shape += fmt::format("{}{}", shape.empty() ? "" : ",", e.text());
    const auto d = e.constant();
    if (!d) continue;
    if (*d < 0) context.fail(fmt::format("the result would have a negative extent, {}", *d));
    too_large = too_large || *d > max_extent || __builtin_mul_overflow(bytes, std::max<int64_t>(*d, 1), &bytes);
  }
  if (too_large || bytes > std::numeric_limits<int64_t>::max() / 2)
    context.fail(fmt::format("the result would be {} [{}], more than any memory holds", type.dtype.name(), shape));
}

}  // namespace

/// What an op is may depend on whether an operand's extent is 0 or 1 (broadcasting, squeeze, an empty fold). Symbols
/// stand for neither; of extents computed from them it is assumed, and a call where it does not hold gets an entry of
/// its own.
void Graph::assume_ordinary_extents(const ValueType& operand) {
  for (const Expr e : operand.shape) {
    if (e.constant() || e.kind() == Expr::Kind::symbol || ranges.of(e).first >= 2) continue;
    assume(max(e, 2), e);
  }
}

void Graph::assume(Expr a, Expr b) {
  const std::pair<Expr, Expr> assumption{a, b};
  if (std::ranges::find(assumptions_, assumption) == assumptions_.end()) assumptions_.push_back(assumption);
}

NodeId Graph::add(const OpDef& op, std::vector<Value> operands, Attributes attributes, SourceLine line) {
  std::vector<ValueType> types;
  for (Value v : operands) types.push_back(type(v));
  InferContext context(op, types, attributes, line);
  const int n = static_cast<int>(operands.size());
  if (n < op.min_operands || (op.max_operands >= 0 && n > op.max_operands))
    context.fail("wrong number of operands: " + std::to_string(n));
  check_extents(context, attributes);
  Node node;
  node.results = op.infer(context);
  for (const ValueType& t : node.results) check_size(context, t);
  for (const ValueType& t : types) assume_ordinary_extents(t);
  node.op = &op;
  node.operands = std::move(operands);
  node.attributes = std::move(attributes);
  node.line = line;
  assumptions_.insert(assumptions_.end(), context.assumptions().begin(), context.assumptions().end());
  nodes_.push_back(std::move(node));
  return size() - 1;
}

}  // namespace sinter::graph
