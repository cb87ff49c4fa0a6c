// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/fold_layout.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace sinter::tile_ir {

uint32_t fold_bits(const TileShape& shape, int dim) {
  uint32_t bits = 0;
  for (int b = 8; b < std::min(shape.log_dim(dim), 10); ++b) bits |= 1u << (shape.shift_of(dim) + b);
  return bits;
}

bool folds_in_place(const LinearLayout& layout, int dim) {
  const TileShape& shape = layout.shape();
  const uint32_t of_dim = ((1u << shape.log_dim(dim)) - 1) << shape.shift_of(dim);
  uint32_t left = fold_bits(shape, dim);
  for (BitGroup group : {BitGroup::reg, BitGroup::lane, BitGroup::warp})
    for (uint32_t column : layout.columns(group)) {
      if ((column & of_dim) == 0) continue;
      if (!std::has_single_bit(column)) return false;
      if (group == BitGroup::reg) left &= ~column;
    }
  return left == 0;
}

uint32_t scan_bits(const TileShape& shape, int dim) {
  constexpr int run_bits = 4;
  if (shape.shift_of(dim) == 0) return 0;
  return ((1u << std::min(shape.log_dim(dim), run_bits)) - 1) << shape.shift_of(dim);
}

bool scans_in_place(const LinearLayout& layout, int dim) {
  const TileShape& shape = layout.shape();
  const uint32_t of_dim = ((1u << shape.log_dim(dim)) - 1) << shape.shift_of(dim);
  uint32_t of_threads = 0, of_warps = 0;
  for (BitGroup group : {BitGroup::reg, BitGroup::lane, BitGroup::warp})
    for (uint32_t column : layout.columns(group)) {
      if ((column & of_dim) == 0) continue;
      if (!std::has_single_bit(column)) return false;
      (group == BitGroup::warp ? of_warps : of_threads) |= column;
    }
  return (of_threads | of_warps) == of_dim && (of_warps == 0 || of_threads < (of_warps & -of_warps));
}

LinearLayout make_fold_layout(const BlockedLayout& blocked, int threads, uint32_t bits, int scanned) {
  const TileShape& shape = blocked.shape;
  LayoutBases bases;
  auto basis = [&](size_t dim, int bit) {
    TileCoords c{};
    c[dim] = 1 << bit;
    return c;
  };
  std::vector<TileCoords> free, kept;     // above the vectors
  std::optional<size_t> last_from_above;  // where those of the last dim begin, if its highest bit comes first
  for (int i = 0; i < shape.rank; ++i) {
    const int dim = blocked.order[static_cast<size_t>(i)];
    const auto d = static_cast<size_t>(dim);
    std::vector<TileCoords> of_dim;
    for (int bit = 0; bit < shape.log_dim(dim); ++bit) {
      if (bit < blocked.vector[d])
        bases[static_cast<size_t>(BitGroup::reg)].push_back(basis(d, bit));
      else
        ((bits >> (shape.shift_of(dim) + bit) & 1) != 0 ? kept : of_dim).push_back(basis(d, bit));
    }
    const bool from_above = i > 0 && dim != scanned;
    if (from_above) std::ranges::reverse(of_dim);
    if (!of_dim.empty()) last_from_above = from_above ? std::optional(free.size()) : std::nullopt;
    free.insert(free.end(), of_dim.begin(), of_dim.end());
  }
  // Lanes run along memory; warps take the highest bits of the dim farthest from it, so that a thread folds what it
  // holds before warps meet.
  const auto log_threads = static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(threads)));
  const size_t lanes = std::min<size_t>(log_threads, 5), warps = log_threads - lanes;
  const size_t of_lanes = std::min(free.size(), lanes), by_warps = std::min(warps, free.size() - of_lanes);
  size_t first = free.size() - by_warps;  // of the warps'
  if (last_from_above) first = std::min(first, std::max(of_lanes, *last_from_above));
  for (size_t t = 0; t < lanes; ++t)
    bases[static_cast<size_t>(BitGroup::lane)].push_back(t < free.size() ? free[t] : TileCoords{});
  for (size_t t = 0; t < warps; ++t)
    bases[static_cast<size_t>(BitGroup::warp)].push_back(t < by_warps ? free[first + t] : TileCoords{});
  std::vector<TileCoords>& held = bases[static_cast<size_t>(BitGroup::reg)];
  for (size_t i = of_lanes; i < first; ++i) held.push_back(free[i]);
  for (size_t i = free.size(); i-- > first + by_warps;)
    held.push_back(free[i]);  // the lowest bit first, as memory has them
  held.insert(held.end(), kept.begin(), kept.end());
  return LinearLayout(shape, bases);
}

}  // namespace sinter::tile_ir
