// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/program.h"

namespace sinter::lower {

/// Replaces a nest's body by these instructions without the dead ones, with indices simplified; values are renumbered,
/// in stores too.
void rebuild(loop::Nest& nest, std::vector<loop::Instruction> instructions, const graph::Ranges& ranges);

}  // namespace sinter::lower
