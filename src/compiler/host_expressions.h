// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/exec/plan.h"
#include "src/graph/expr.h"

namespace sinter::compiler {

/// Writes expressions over symbols into a plan's host code.
class HostExpressions {
 public:
  explicit HostExpressions(exec::Plan& plan) : plan_(plan) {}
  exec::HostExpr expr(graph::Expr e);

 private:
  void push(exec::HostOp op, int64_t operand = 0) { plan_.code.push_back({op, operand}); }
  void write(graph::Expr e);

  exec::Plan& plan_;
};

}  // namespace sinter::compiler
