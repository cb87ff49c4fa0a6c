// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// A store that rounds by itself needs no rounded value: where block_store or scatter takes the result of a round_to
/// the pointer's own dtype, it takes the operand, and round_to instructions that nobody reads any more go. Only for
/// back ends whose stores round to nearest even and wrap, as the laid-out form's do.
void store_unrounded(Kernel& kernel);

}  // namespace sinter::tile_ir
