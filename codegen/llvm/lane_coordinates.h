// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// Where a chunk starts: its part, and its first lane in row-major order; i64 each, constants in unrolled code.
struct Position {
  llvm::Value *part, *lane;
};

/// i64 coordinate along `dim` of the element at `lane`.
llvm::Value* coordinate(Builder& b, const tile_ir::Type& type, int dim, llvm::Value* lane);
/// i32 coordinates along `dim` of `lanes` elements from `first` on (constants if `first` is one).
llvm::Value* coordinates(Builder& b, const tile_ir::Type& type, int dim, llvm::Value* first, int lanes);

}  // namespace sinter::llvm_codegen
