// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "src/loop/program.h"

namespace sinter::schedule {

/// The nest over other axes: `to` gives each of the old ones as an expression of the new.
loop::Nest substitute_axes(const loop::Nest& nest, std::vector<loop::Axis> axes, std::span<const graph::Expr> to,
                           const graph::Ranges& symbols);

}  // namespace sinter::schedule
