// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "runtime/exec/plan.h"
#include "src/graph/expr.h"

namespace sinter::compiler {

/// What a symbol is where the code runs: a symbol of another number, or a literal.
using SymbolCode = std::function<exec::HostInstruction(int32_t symbol)>;

/// Writes expressions over symbols as host code: a plan's, whose symbols are the same, or other code.
class HostExpressions {
 public:
  explicit HostExpressions(exec::Plan& plan)
      : HostExpressions(plan.code, [](int32_t s) { return exec::HostInstruction{exec::HostOp::symbol, s}; }) {}
  HostExpressions(std::vector<exec::HostInstruction>& code, SymbolCode symbol)
      : code_(code), symbol_(std::move(symbol)) {}
  exec::HostExpr expr(graph::Expr e);

 private:
  void push(exec::HostOp op, int64_t operand = 0) { code_.push_back({op, operand}); }
  void write(graph::Expr e);

  std::vector<exec::HostInstruction>& code_;
  SymbolCode symbol_;
};

}  // namespace sinter::compiler
