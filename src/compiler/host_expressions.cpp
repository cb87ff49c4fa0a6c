// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/host_expressions.h"

#include <sinter/error.h>

namespace sinter::compiler {

using exec::HostExpr;
using exec::HostOp;
using graph::Expr;

HostExpr HostExpressions::expr(Expr e) {
  if (const auto c = e.constant()) return {0, 0, *c};
  HostExpr h;
  h.begin = static_cast<int32_t>(code_.size());
  write(e);
  h.length = static_cast<int32_t>(code_.size()) - h.begin;
  return h;
}

void HostExpressions::write(Expr e) {
  switch (e.kind()) {
    case Expr::Kind::constant:
      return push(HostOp::push, *e.constant());
    case Expr::Kind::symbol:
      code_.push_back(symbol_(e.id()));
      return;
    case Expr::Kind::axis:
    case Expr::Kind::value:
      throw CompileError("internal: a host expression depends on the device");
    case Expr::Kind::sum: {
      push(HostOp::push, e.offset());
      for (const auto& [c, t] : e.terms()) {
        write(t);
        if (c != 1) {
          push(HostOp::push, c);
          push(HostOp::mul);
        }
        push(HostOp::add);
      }
      return;
    }
    case Expr::Kind::product: {
      write(e.operands()[0]);
      for (Expr f : e.operands().subspan(1)) {
        write(f);
        push(HostOp::mul);
      }
      return;
    }
    default:
      break;
  }
  write(e.operands()[0]);
  write(e.operands()[1]);
  push(e.kind() == Expr::Kind::floordiv  ? HostOp::floordiv
       : e.kind() == Expr::Kind::mod     ? HostOp::mod
       : e.kind() == Expr::Kind::min     ? HostOp::min
       : e.kind() == Expr::Kind::doubled ? HostOp::doubled
                                         : HostOp::max);
}

}  // namespace sinter::compiler
