// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/fold_layout.h"

#include <algorithm>
#include <bit>

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

LinearLayout make_fold_layout(const BlockedLayout& blocked, int threads, uint32_t bits) {
  const TileShape& shape = blocked.shape;
  LayoutBases bases;
  auto basis = [&](size_t dim, int bit) {
    TileCoords c{};
    c[dim] = 1 << bit;
    return c;
  };
  std::vector<TileCoords> free, kept;  // above the vectors, fastest first
  for (int i = 0; i < shape.rank; ++i) {
    const int dim = blocked.order[static_cast<size_t>(i)];
    const auto d = static_cast<size_t>(dim);
    for (int bit = 0; bit < shape.log_dim(dim); ++bit) {
      if (bit < blocked.vector[d])
        bases[static_cast<size_t>(BitGroup::reg)].push_back(basis(d, bit));
      else
        ((bits >> (shape.shift_of(dim) + bit) & 1) != 0 ? kept : free).push_back(basis(d, bit));
    }
  }
  const auto log_threads = static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(threads)));
  for (size_t t = 0; t < log_threads; ++t)
    bases[static_cast<size_t>(t < 5 ? BitGroup::lane : BitGroup::warp)].push_back(t < free.size() ? free[t]
                                                                                                  : TileCoords{});
  for (size_t i = log_threads; i < free.size(); ++i) bases[static_cast<size_t>(BitGroup::reg)].push_back(free[i]);
  for (const TileCoords& k : kept) bases[static_cast<size_t>(BitGroup::reg)].push_back(k);
  return LinearLayout(shape, bases);
}

}  // namespace sinter::tile_ir
