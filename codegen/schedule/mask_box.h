// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/loop/program.h"

namespace sinter::schedule {

/// lo <= axis < hi, where given; expressions over symbols and other axes.
struct AxisBounds {
  std::optional<graph::Expr> lo, hi;
  bool bounded() const { return lo || hi; }
};

/// A boolean value of a nest as bounds of axes (pad, cat, slices), if it is a conjunction of comparisons each of which
/// is affine and holds some axis once.
std::optional<std::vector<AxisBounds>> mask_as_box(const loop::Nest& nest, loop::ValueId mask);

}  // namespace sinter::schedule
