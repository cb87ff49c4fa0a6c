// SPDX-License-Identifier: Apache-2.0
#include "src/ops/graph_writer.h"

#include <algorithm>

namespace sinter::ops {

using graph::Value;

graph::Scalar extent_attribute(graph::Expr extent) {
  graph::Scalar s;
  s.literal = graph::Number::of(extent.constant().value_or(0));
  s.expr = extent;
  s.is_extent = true;
  return s;
}

Value GraphWriter::cast(Value v, DType dtype) {
  if (type(v).dtype == dtype) return v;
  return add(op<"to">(), {v}, graph::literal_attributes(graph::CallAttributes().dtype(dtype)));
}

Value GraphWriter::reshape(Value v, std::span<const graph::Expr> shape) {
  const std::vector<graph::Expr>& now = type(v).shape;
  if (std::ranges::equal(now, shape)) return v;
  graph::Attributes attributes;
  attributes.words = {-1, static_cast<int64_t>(shape.size())};  // no extent is inferred
  for (graph::Expr e : shape) attributes.scalars.push_back(extent_attribute(e));
  return add(op<"reshape">(), {v}, std::move(attributes));
}

Value GraphWriter::column(Value v, size_t rank) {
  std::vector<graph::Expr> shape(rank, graph::Expr(1));
  shape[0] = type(v).shape[0];
  return reshape(v, shape);
}

Value GraphWriter::permute(Value v, const Dims& dims) {
  return add(op<"permute">(), {v}, graph::literal_attributes(graph::CallAttributes().integers(dims)));
}

}  // namespace sinter::ops
