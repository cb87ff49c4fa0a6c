// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/substitute_axes.h"

namespace sinter::schedule {

using graph::Expr;

loop::Nest substitute_axes(const loop::Nest& nest, std::vector<loop::Axis> axes, std::span<const Expr> to,
                           const graph::Ranges& symbols) {
  loop::Nest out;
  out.axes = std::move(axes);
  const graph::Ranges ranges = loop::nest_ranges(out, symbols);
  std::vector<loop::ValueId> map;
  const auto renamed = [&](Expr e) {
    return graph::simplify(graph::substitute(e,
                                             [&](Expr leaf) -> std::optional<Expr> {
                                               if (leaf.kind() == Expr::Kind::axis)
                                                 return to[static_cast<size_t>(leaf.id())];
                                               if (leaf.kind() == Expr::Kind::value)
                                                 return Expr::value(map[static_cast<size_t>(leaf.id())]);
                                               return std::nullopt;
                                             }),
                           ranges);
  };
  for (loop::Instruction in : nest.body.instructions()) {
    for (loop::ValueId& v : in.operands)
      if (v >= 0) v = map[static_cast<size_t>(v)];
    for (Expr& e : in.index) e = renamed(e);
    map.push_back(out.body.append(std::move(in)).id);
  }
  for (loop::Store s : nest.stores) {
    s.value = map[static_cast<size_t>(s.value)];
    for (Expr& e : s.index) e = renamed(e);
    out.stores.push_back(std::move(s));
  }
  return out;
}

}  // namespace sinter::schedule
