// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/layouts.h"

#include <algorithm>
#include <numeric>

#include "src/graph/text.h"

namespace sinter::fuzz {

using graph::Expr;

graph::Layout draw_layout(Chooser& choose, const graph::ValueType& type) {
  graph::Layout layout = graph::contiguous_layout(type.shape);
  if (!choose.one_in(3)) return layout;
  if (choose.one_in(3)) layout.offset = choose.between(0, 20);
  const bool literal = std::ranges::all_of(type.shape, [](Expr e) { return e.constant().has_value(); });
  if (!literal || choose.one_in(4)) return layout;
  std::vector<size_t> order(type.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (choose.one_in(2)) choose.shuffle(order);
  int64_t stride = choose.of({1, 1, 1, 2, 3});
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t n = std::max<int64_t>(*type.shape[order[i]].constant(), 1);
    const bool repeated = choose.one_in(8), reversed = choose.one_in(6);
    layout.strides[order[i]] = repeated ? 0 : reversed ? -stride : stride;
    if (repeated) continue;
    if (reversed) layout.offset = layout.offset + stride * (n - 1);
    stride = stride * n + (choose.one_in(4) ? choose.between(1, 3) : 0);
  }
  return layout;
}

}  // namespace sinter::fuzz
