// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "src/graph/expr.h"

namespace sinter::graph {

/// An interned expression. Sums: value is the constant, coefficients[i] multiplies operands[i]; operands are sorted by
/// Expr::compare and are no sums or constants. Products: operands sorted, none constant.
struct ExprNode {
  Expr::Kind kind = Expr::Kind::constant;
  int64_t value = 0;  ///< constant, id, or the constant of a sum
  std::vector<Expr> operands;
  std::vector<int64_t> coefficients;
  bool polynomial = true;  ///< no division, min or max inside: simplify() has nothing to do
};

/// The process-wide table; nodes live for ever.
class ExprTable {
 public:
  static Expr intern(ExprNode node);
  static const ExprNode& node(Expr e) { return *e.node_; }
};

}  // namespace sinter::graph
