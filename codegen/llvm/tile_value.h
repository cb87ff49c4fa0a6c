// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::llvm_codegen {

using Builder = llvm::IRBuilder<>;

/// The lanes of one part in row-major order, cut into LLVM vectors of equal power-of-two length. The length is the
/// number of 32-bit lanes of the machine's vectors (or all lanes, if fewer), whatever the element type, so that the
/// chunks of all tiles of one shape correspond. One lane alone is a plain LLVM scalar.
using Chunks = std::vector<llvm::Value*>;

/// A scalar (one part of one chunk), or the parts of a tile.
using TileValue = std::vector<Chunks>;

/// LLVM types of an element in registers (boolean is i1) and in memory (boolean is i8, f16 and bf16 are i16).
llvm::Type* register_type(llvm::LLVMContext& context, DType compute);
llvm::Type* memory_type(llvm::LLVMContext& context, DType storage);
/// `element` for one lane, a vector of them otherwise.
llvm::Type* vector_of(llvm::Type* element, int lanes);
int lanes_of(const llvm::Value* chunk);
/// Of a power of two.
inline int log2_of(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)) - 1; }
llvm::Value* splat(Builder& b, llvm::Value* scalar, int lanes);
/// A constant of a compute type from its bits.
llvm::Constant* scalar_constant(llvm::LLVMContext& context, DType compute, uint64_t bits);
/// A constant vector (or scalar) of i32 or i64 numbers.
llvm::Constant* lane_constants(llvm::Type* element, const std::vector<int64_t>& values);

}  // namespace sinter::llvm_codegen
