// SPDX-License-Identifier: Apache-2.0
#include "src/ops/move_elements.h"

#include "src/loop/builder.h"
#include "src/ops/convert.h"

namespace sinter::ops {

int64_t literal_extent(graph::Expr extent) {
  if (const auto literal = extent.constant()) return *literal;
  throw CompileError("internal: the reference of an op needs literal extents, got " + extent.text());
}

Dims literal_extents(const std::vector<graph::Expr>& extents) {
  Dims literals;
  for (const graph::Expr& e : extents) literals.push_back(literal_extent(e));
  return literals;
}

scalar::Constant literal_number(const graph::Scalar& number, DType storage) {
  if (number.symbol >= 0) throw CompileError("internal: the reference of an op needs literal numbers");
  return reference::rounded(graph::constant_of(number.literal, scalar::compute_type(storage)), storage);
}

scalar::Constant convert_element(const scalar::Constant& value, DType from, DType to) {
  if (from == to) return value;
  loop::Body body;  // of constants, which fold
  loop::Builder b(body);
  const loop::Value result = convert_value(b, body.constant(value), from, to);
  return {result.type, body[result.id].bits};
}

reference::Array move_elements(const graph::Node& node, std::span<const reference::Array> operands,
                               const std::function<Source(const ReferenceContext&, const Dims& index)>& source) {
  const ReferenceContext context{node, operands, literal_extents(node.results[0].shape)};
  const DType dtype = node.results[0].dtype;
  reference::Array result = reference::Array::zeros(dtype, context.result_shape);
  int64_t next = 0;
  reference::for_each_index(context.result_shape, [&](const Dims& index) {
    const Source from = source(context, index);
    if (from.operand < 0) {
      result.set(next++, from.fill);
      return;
    }
    const reference::Array& operand = operands[static_cast<size_t>(from.operand)];
    result.set(next++, convert_element(operand.at(from.index), operand.dtype, dtype));
  });
  return result;
}

}  // namespace sinter::ops
