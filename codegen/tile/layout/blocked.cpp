// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/blocked.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>

namespace sinter::tile_ir {

LinearLayout make_layout(const BlockedLayout& blocked) {
  const TileShape& shape = blocked.shape;
  const int axes = std::max(shape.rank, 1);  // a tile of rank 0 still has threads: free bits along an axis of extent 1
  std::array<int, max_tile_dims> used{};
  LayoutBases bases;
  auto take = [&](BitGroup group, const std::array<int, max_tile_dims>& counts) {
    for (int i = 0; i < axes; ++i) {
      size_t dim = static_cast<size_t>(blocked.order[static_cast<size_t>(i)]);
      for (int n = 0; n < counts[dim]; ++n) {
        TileCoords vector{};
        bool inside = used[dim] < shape.log_dim(static_cast<int>(dim));
        if (inside) vector[dim] = 1 << used[dim]++;
        if (inside || group != BitGroup::reg) bases[static_cast<size_t>(group)].push_back(vector);
      }
    }
  };
  take(BitGroup::reg, blocked.vector);
  take(BitGroup::lane, blocked.lanes);
  take(BitGroup::warp, blocked.warps);
  std::array<int, max_tile_dims> rest{};
  for (int dim = 0; dim < shape.rank; ++dim)
    rest[static_cast<size_t>(dim)] = shape.log_dim(dim) - used[static_cast<size_t>(dim)];
  take(BitGroup::reg, rest);
  return LinearLayout(shape, bases);
}

void spread_threads(BlockedLayout& blocked, int threads) {
  if (threads < 1 || !std::has_single_bit(static_cast<uint32_t>(threads))) {
    throw CompileError(fmt::format("internal: layout for {} threads", threads));
  }
  int log_threads = std::countr_zero(static_cast<uint32_t>(threads));
  int lanes = std::min(log_threads, 5);
  int warps = log_threads - lanes;
  std::array<int, max_tile_dims> room{};
  for (int dim = 0; dim < blocked.shape.rank; ++dim) {
    size_t d = static_cast<size_t>(dim);
    room[d] = std::max(0, blocked.shape.log_dim(dim) - blocked.vector[d]);
  }
  auto spread = [&](int bits, std::array<int, max_tile_dims>& counts) {
    counts = {};
    for (int i = 0; i < blocked.shape.rank; ++i) {
      size_t dim = static_cast<size_t>(blocked.order[static_cast<size_t>(i)]);
      int taken = std::min(bits, room[dim]);
      counts[dim] += taken;
      room[dim] -= taken;
      bits -= taken;
    }
    counts[static_cast<size_t>(blocked.order[static_cast<size_t>(std::max(blocked.shape.rank, 1) - 1)])] += bits;
  };
  spread(lanes, blocked.lanes);
  spread(warps, blocked.warps);
}

}  // namespace sinter::tile_ir
