// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// Moves block_loads, with the scalars that make up their addresses, to the front of their region, or behind the last
/// for or if there: all loads are under way before the first one is waited for. Loads of memory that the kernel writes
/// stay behind the stores before them.
void hoist_loads(Kernel& kernel);

}  // namespace sinter::tile_ir
