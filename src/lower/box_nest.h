// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "src/loop/program.h"

namespace sinter::lower {

/// What is known of boolean instructions, by instruction.
using Known = std::vector<std::optional<bool>>;

/// The part of a nest where begin <= axis < begin + extent, as a nest of its own whose axis starts at 0. What `known`
/// decides is decided: selects take their side, loads lose their mask or give their fill, and what nothing needs any
/// more is gone. The nest has no reduction axes.
loop::Nest box_of(const loop::Nest& nest, size_t axis, graph::Expr begin, graph::Expr extent, Known known,
                  const graph::Ranges& symbols);

}  // namespace sinter::lower
