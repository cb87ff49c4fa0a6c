// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// An i1 that is true where some lane of a rare condition is, and perhaps where a lane of what it compares is NaN: it
/// decides whether the slow way is looked at, where the exact condition then picks lane by lane.
///
/// Comparisons of magnitudes with constants (range checks, the usual conditions) are folded over all chunks in integers
/// and compared once at the end, which leaves the exact condition to the slow block.
llvm::Value* rare_test(Builder& b, const TileValue& condition);

}  // namespace sinter::llvm_codegen
