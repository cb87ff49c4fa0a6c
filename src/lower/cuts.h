// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/loop/program.h"

namespace sinter::lower {

/// A comparison of indices that is decided on either side of one point of one axis: axis < at where `below`, else
/// axis >= at. The point depends on symbols only.
struct Cut {
  int axis = -1;
  graph::Expr at;
  bool below = false;
};

/// The cuts among a nest's instructions, by instruction.
std::vector<std::optional<Cut>> find_cuts(const loop::Nest& nest);

/// The points of an axis where the masks of loads change, in increasing order: those whose order is provable, within
/// the axis's extent or not. A point that cannot be compared with those before it is left out.
std::vector<graph::Expr> mask_points(const loop::Nest& nest, const std::vector<std::optional<Cut>>& cuts, int axis,
                                     const graph::Ranges& symbols);

}  // namespace sinter::lower
