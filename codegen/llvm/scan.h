// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// The results of a scan instruction over its operands, tiles of type `type`: in the canonical order, by shuffles where
/// a step of it stays within vectors.
std::vector<TileValue> emit_scan(Builder& b, const tile_ir::Instruction& scan, const tile_ir::Type& type,
                                 std::vector<TileValue> values);

/// The combination of the values of an earlier and of a later element, a chunk of each, by a scan's region.
std::vector<llvm::Value*> emit_combine(Builder& b, const tile_ir::Region& region,
                                       const std::vector<llvm::Value*>& earlier,
                                       const std::vector<llvm::Value*>& later);

}  // namespace sinter::llvm_codegen
