// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// One step of a fold.
llvm::Value* fold_two(Builder& b, tile_ir::ReduceKind kind, DType type, llvm::Value* x, llvm::Value* y);

/// Emits a reduce along `dim` (or parts_dim). Sums and products of floating numbers follow the canonical order: with j
/// the coordinate along dim, partial p = j mod 256 within each 1024 adds up j = p, p + 256, p + 512, p + 768, then
/// pairs of partials and then pairs of 1024s meet, lowest bit first. Parts meet in pairs, lowest bit first, a part
/// without partner stays. What cannot depend on the order takes the cheapest one.
TileValue emit_reduce(Builder& b, const TileValue& value, const tile_ir::Type& type, tile_ir::ReduceKind kind, int dim);

}  // namespace sinter::llvm_codegen
