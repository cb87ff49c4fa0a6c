// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// How many bits of each dim go to consecutive registers, lanes and warps, as log2 counts. Along every dim the lowest
/// coordinate bits are the thread's vector, then come lanes, then warps; what remains of the tile repeats in registers.
/// Inside a group the bits of dim order[0] are the lowest, then those of order[1], and so on.
struct BlockedLayout {
  TileShape shape;
  std::array<int, max_tile_dims> order{0, 1, 2, 3};  ///< the first `rank` entries: a permutation, fastest dim first
  std::array<int, max_tile_dims> vector{};
  std::array<int, max_tile_dims> lanes{};
  std::array<int, max_tile_dims> warps{};
};

/// The linear layout of a blocked description. Counts beyond the size of a dim: surplus registers are left out, surplus
/// lanes and warps are free bits (threads that hold copies).
LinearLayout make_layout(const BlockedLayout& blocked);

/// Fills lanes and warps: the threads run along order[0] as far as the dim reaches beyond the vector, then along
/// order[1], and so on; threads beyond the last dim become surplus (the highest lanes or warps hold copies). `threads`
/// is a power of two, at least one, else CompileError; a warp has 32 lanes.
void spread_threads(BlockedLayout& blocked, int threads);

}  // namespace sinter::tile_ir
