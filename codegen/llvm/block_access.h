// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/box.h"

namespace sinter::llvm_codegen {

/// Emits a block_load; `fill` (the compute type) is used where `masked`. A masked access touches no memory out of
/// bounds and costs more: contiguous ones are masked vector accesses, all others go element by element.
TileValue load_block(Builder& b, KernelFrame& frame, const tile_ir::Instruction& load, const Box& box, bool masked,
                     llvm::Value* fill);
void store_block(Builder& b, KernelFrame& frame, const tile_ir::Instruction& store, const Box& box, bool masked,
                 const TileValue& value);

/// Can a chunk of the access be moved by itself, at a position known at run time only?
bool moves_by_chunk(const KernelFrame& frame, const tile_ir::Instruction& access, const tile_ir::Type& type,
                    bool masked);
llvm::Value* load_chunk(Builder& b, KernelFrame& frame, const tile_ir::Instruction& load, const Box& box, bool masked,
                        llvm::Value* fill, const Position& at);
/// Several chunks of one tile.
void store_chunks(Builder& b, KernelFrame& frame, const tile_ir::Instruction& store, const Box& box, bool masked,
                  const std::vector<Position>& at, const Chunks& value);

/// Element accesses at vectors of pointers (one pointer where a chunk has one lane); elements are memory types.
llvm::Value* gather_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* mask);
void accumulate_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* value,
                         llvm::Value* mask, tile_ir::ReduceKind fold);
void scatter_elements(Builder& b, KernelFrame& frame, int pointer, llvm::Value* addresses, llvm::Value* value,
                      llvm::Value* mask);

}  // namespace sinter::llvm_codegen
