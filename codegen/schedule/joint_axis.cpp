// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/joint_axis.h"

#include <algorithm>

namespace sinter::schedule {

using graph::Expr;

loop::Nest with_joint_reduction_axis(const loop::Nest& nest, const graph::Ranges& symbols) {
  const auto first = static_cast<size_t>(std::ranges::find_if(nest.axes, &loop::Axis::reduction) - nest.axes.begin());
  if (first + 1 == nest.axes.size()) return nest;
  loop::Nest out;
  out.axes.assign(nest.axes.begin(), nest.axes.begin() + static_cast<std::ptrdiff_t>(first));
  Expr extent = int64_t{1};
  for (size_t a = first; a < nest.axes.size(); ++a) extent = extent * nest.axes[a].extent;
  out.axes.push_back({extent, true});
  graph::Ranges ranges = symbols;
  for (size_t a = 0; a < out.axes.size(); ++a) ranges.set_axis_extent(static_cast<int>(a), out.axes[a].extent);
  std::vector<Expr> to(nest.axes.size());
  for (size_t a = 0; a < first; ++a) to[a] = Expr::axis(static_cast<int>(a));
  Expr rest = Expr::axis(static_cast<int>(first));
  for (size_t a = nest.axes.size(); a-- > first;) {
    to[a] = a == first ? rest : graph::mod(rest, nest.axes[a].extent);
    rest = graph::floordiv(rest, nest.axes[a].extent);
  }
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
