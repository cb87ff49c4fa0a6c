// SPDX-License-Identifier: Apache-2.0
#include "src/graph/call_rule.h"

#include "src/graph/text.h"

namespace sinter::graph {

bool OperandLayout::at_least(Expr a, Expr b) {
  if (provably_nonnegative(a - b, ranges_)) return true;
  if (provably_nonnegative(b - a - 1, ranges_)) return false;
  assumptions_.emplace_back(max(a, b), a);
  return true;
}

bool reads_dense(OperandLayout& layout) {
  const std::vector<Expr>& shape = layout.type().shape;
  const std::vector<Expr> dense = contiguous_layout(shape).strides;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!shape[d].is_constant(1) && layout.strides()[d] != dense[d]) return false;
  return true;
}

bool reads_matrices(OperandLayout& layout) {
  const std::vector<Expr>& shape = layout.type().shape;
  if (shape.size() < 2) return reads_dense(layout);
  const size_t row = shape.size() - 2, column = shape.size() - 1;
  const auto steps_by_one = [&](size_t d) { return shape[d].is_constant(1) || layout.strides()[d].is_constant(1); };
  const auto leads = [&](size_t d, size_t other) {
    return shape[d].is_constant(1) || layout.at_least(layout.strides()[d], shape[other]);
  };
  if (steps_by_one(column) && (!steps_by_one(row) || shape[row].is_constant(1))) return leads(row, column);
  return steps_by_one(row) && leads(column, row);
}

}  // namespace sinter::graph
