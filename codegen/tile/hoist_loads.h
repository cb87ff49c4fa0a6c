// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// Moves block_loads, with the scalars that make up their addresses, to the front of their region, or behind the last
/// for or if there: all loads are under way before the first one is waited for. Loads of memory that the kernel writes
/// stay behind the stores before them. Where a thread would hold more than `most_words` words of what is loaded, those
/// behind a reduce stay where they are: what is only needed after a fold would take the registers of other programs.
///
/// `words` gives the 32-bit words of a load that a thread holds.
void hoist_loads(Kernel& kernel, const std::function<int64_t(const Instruction&)>& words, int64_t most_words = 48);

}  // namespace sinter::tile_ir
