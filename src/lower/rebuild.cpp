// SPDX-License-Identifier: Apache-2.0
#include "src/lower/rebuild.h"

#include "src/loop/dependence.h"

namespace sinter::lower {

using graph::Expr;

void rebuild(loop::Nest& nest, std::vector<loop::Instruction> instructions, const graph::Ranges& ranges) {
  const std::vector<bool> live = loop::live_instructions(nest);  // of the old body, which has the same numbering
  std::vector<loop::ValueId> renumbered(instructions.size(), -1);
  const auto renamed = [&](Expr e) {
    return substitute(simplify(e, ranges), [&](Expr leaf) -> std::optional<Expr> {
      if (leaf.kind() != Expr::Kind::value) return std::nullopt;
      return Expr::value(renumbered[static_cast<size_t>(leaf.id())]);
    });
  };
  loop::Body body;
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (!live[i]) continue;
    loop::Instruction& in = instructions[i];
    for (loop::ValueId& v : in.operands)
      if (v >= 0) v = renumbered[static_cast<size_t>(v)];
    for (Expr& e : in.index) e = renamed(e);
    renumbered[i] = body.append(std::move(in)).id;
  }
  for (loop::Store& s : nest.stores) {
    s.value = renumbered[static_cast<size_t>(s.value)];
    for (Expr& e : s.index) e = renamed(e);
  }
  nest.body = std::move(body);
}

}  // namespace sinter::lower
