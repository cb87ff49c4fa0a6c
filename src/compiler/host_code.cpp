// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/host_code.h"

#include <sinter/error.h>

namespace sinter::compiler {
namespace {

using exec::HostOp;
using graph::Expr;

class CodeWriter {
 public:
  CodeWriter(std::vector<exec::HostInstruction>& code, const SymbolCode& symbol) : code_(code), symbol_(symbol) {}

  void write(Expr e) {
    switch (e.kind()) {
      case Expr::Kind::constant:
        return push(HostOp::push, *e.constant());
      case Expr::Kind::symbol:
        code_.push_back(symbol_(e.id()));
        return;
      case Expr::Kind::axis:
      case Expr::Kind::value:
        throw CompileError("internal: a host expression depends on the device");
      case Expr::Kind::sum:
        return write_sum(e);
      case Expr::Kind::product:
        write(e.operands()[0]);
        for (Expr f : e.operands().subspan(1)) {
          write(f);
          push(HostOp::mul);
        }
        return;
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

 private:
  void push(HostOp op, int64_t operand = 0) { code_.push_back({op, operand}); }

  void write_sum(Expr e) {
    push(HostOp::push, e.offset());
    for (const auto& [c, t] : e.terms()) {
      write(t);
      if (c != 1) {
        push(HostOp::push, c);
        push(HostOp::mul);
      }
      push(HostOp::add);
    }
  }

  std::vector<exec::HostInstruction>& code_;
  const SymbolCode& symbol_;
};

}  // namespace

exec::HostExpr write_host_code(std::vector<exec::HostInstruction>& code, Expr e, const SymbolCode& symbol) {
  if (const auto c = e.constant()) return {0, 0, *c};
  exec::HostExpr h;
  h.begin = static_cast<int32_t>(code.size());
  CodeWriter(code, symbol).write(e);
  h.length = static_cast<int32_t>(code.size()) - h.begin;
  return h;
}

}  // namespace sinter::compiler
