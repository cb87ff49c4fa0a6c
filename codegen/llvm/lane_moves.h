// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

// Movements of lanes in registers. A lane's number in its part is a bit field: the low bits count lanes of a chunk, the
// high bits chunks. All dims are powers of two, so transposes, broadcasts and folds are moves of those bits, and a bit
// costs shuffles only where it crosses between lane and chunk or changes its place among the lane bits.

/// Lane l of the result is lane mask[l] of the chunk.
llvm::Value* shuffle(Builder& b, llvm::Value* chunk, const std::vector<int>& mask);
/// ... of the concatenation of two chunks.
llvm::Value* shuffle(Builder& b, llvm::Value* low, llvm::Value* high, const std::vector<int>& mask);
/// All lanes in order, in vectors of `lanes`.
Chunks regroup(Builder& b, const Chunks& chunks, int lanes);

/// Bit i of the result's lane number is bit from[i] of the source's: one two-input shuffle per chunk for every bit that
/// moves from the chunk number into the lane number, one more for what is left to do inside the chunks.
Chunks permute_bits(Builder& b, Chunks chunks, const std::vector<int>& from);

/// The half of the lanes whose bit `bit` is `value`, in order.
Chunks select_bit(Builder& b, const Chunks& chunks, int bit, bool value);

/// Bit i of the result's lane number is bit from[i] of the source's (ascending), or free where from[i] < 0; `lanes` is
/// the chunk length of the result.
Chunks broadcast_bits(Builder& b, const Chunks& chunks, const std::vector<int>& from, int lanes);

/// n equally long vectors that together are memory order -> vector p holds elements p, p + n, p + 2n, ...
Chunks deinterleave(Builder& b, const Chunks& memory_order);
/// The inverse.
Chunks interleave(Builder& b, const Chunks& parts);

}  // namespace sinter::llvm_codegen
