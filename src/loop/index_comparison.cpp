// SPDX-License-Identifier: Apache-2.0
#include "src/loop/index_comparison.h"

namespace sinter::loop {

std::optional<Expr> index_of(const Body& body, ValueId value) {
  const Instruction& in = body[value];
  if (in.kind == InstructionKind::index_value) return in.index[0];
  if (in.kind == InstructionKind::constant && in.type.is_integer() && in.type.is_signed())
    return Expr(scalar::as_int({in.type, in.bits}));
  return std::nullopt;
}

std::optional<Expr> slack_of(const Body& body, const Instruction& in) {
  if (in.kind != InstructionKind::scalar || (in.op != ScalarOp::lt && in.op != ScalarOp::le)) return std::nullopt;
  const auto x = index_of(body, in.operands[0]), y = index_of(body, in.operands[1]);
  if (!x || !y) return std::nullopt;
  return *y - *x - Expr(in.op == ScalarOp::lt ? 1 : 0);
}

}  // namespace sinter::loop
