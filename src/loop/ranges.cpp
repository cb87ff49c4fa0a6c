// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "src/loop/program.h"

namespace sinter::loop {

graph::Ranges nest_ranges(const Nest& nest, const graph::Ranges& symbols) {
  graph::Ranges ranges = symbols;
  for (size_t i = 0; i < nest.axes.size(); ++i) ranges.set_axis_extent(static_cast<int>(i), nest.axes[i].extent);
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const Instruction& in = nest.body[static_cast<ValueId>(i)];
    if (in.kind != InstructionKind::to_index) continue;
    const int64_t bound = symbols.of(in.index[0]).second;
    ranges.set_value(static_cast<int>(i), 0,
                     bound == std::numeric_limits<int64_t>::max() ? bound : std::max<int64_t>(bound - 1, 0));
  }
  return ranges;
}

}  // namespace sinter::loop
