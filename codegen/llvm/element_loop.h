// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/box.h"

namespace sinter::llvm_codegen {

// Masked boxes whose elements are not neighbours, one element after the other in a loop: a few instructions whatever
// the tile, where vector gathers of narrow elements would become a branch for every lane.

/// The tile, widened; `fill` where out of bounds.
TileValue load_by_element(Builder& b, KernelFrame& frame, const Box& box, llvm::Value* fill);
/// `value` is of the compute type.
void store_by_element(Builder& b, KernelFrame& frame, const Box& box, const TileValue& value);

}  // namespace sinter::llvm_codegen
