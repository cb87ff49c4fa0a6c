// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/joint_axis.h"

#include <algorithm>

#include "codegen/schedule/substitute_axes.h"

namespace sinter::schedule {

using graph::Expr;

loop::Nest with_joint_reduction_axis(const loop::Nest& nest, const graph::Ranges& symbols) {
  const auto first = static_cast<size_t>(std::ranges::find_if(nest.axes, &loop::Axis::reduction) - nest.axes.begin());
  if (first + 1 == nest.axes.size()) return nest;
  std::vector<loop::Axis> axes(nest.axes.begin(), nest.axes.begin() + static_cast<std::ptrdiff_t>(first));
  Expr extent = int64_t{1};
  for (size_t a = first; a < nest.axes.size(); ++a) extent = extent * nest.axes[a].extent;
  axes.push_back({extent, true});
  std::vector<Expr> to(nest.axes.size());
  for (size_t a = 0; a < first; ++a) to[a] = Expr::axis(static_cast<int>(a));
  Expr rest = Expr::axis(static_cast<int>(first));
  for (size_t a = nest.axes.size(); a-- > first;) {
    to[a] = a == first ? rest : graph::mod(rest, nest.axes[a].extent);
    rest = graph::floordiv(rest, nest.axes[a].extent);
  }
  return substitute_axes(nest, std::move(axes), to, symbols);
}

}  // namespace sinter::schedule
