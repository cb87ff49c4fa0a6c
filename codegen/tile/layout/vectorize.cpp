// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/vectorize.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace sinter::tile_ir {
namespace {

int64_t offset_of(const TileCoords& coords, const StaticStrides& memory) {
  int64_t offset = 0;
  for (size_t d = 0; d < max_tile_dims; ++d) offset += coords[d] * memory.strides[d];
  return offset;
}

/// Whether x is a multiple of the power of two `count`, also for negative x.
bool multiple_of(int64_t x, int64_t count) { return (x & (count - 1)) == 0; }

}  // namespace

std::optional<std::vector<int64_t>> register_offsets(const LinearLayout& layout, const StaticStrides& memory) {
  if (!layout.registers_separate()) return std::nullopt;
  std::vector<int64_t> offsets;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    TileCoords coords = layout.coords(static_cast<uint32_t>(reg), 0);
    offsets.push_back(layout.part_of(reg) * memory.part_stride + offset_of(coords, memory));
  }
  return offsets;
}

Alignment thread_base_alignment(const LinearLayout& layout, const StaticStrides& memory, const Alignment& origin) {
  // Bits of several threads may share coordinate bits, so single coordinate bits are the generators of all bases.
  int64_t divisor = origin.divisor;
  for (BitGroup group : {BitGroup::lane, BitGroup::warp, BitGroup::block}) {
    for (int bit = 0; bit < layout.bits(group); ++bit) {
      TileCoords vector = layout.basis(group, bit);
      for (size_t d = 0; d < max_tile_dims; ++d) {
        int64_t lowest = vector[d] & -vector[d];
        divisor = std::gcd(divisor, lowest * memory.strides[d]);
      }
    }
  }
  return {divisor, ((origin.remainder % divisor) + divisor) % divisor};
}

std::vector<VectorAccess> vectorize(const LinearLayout& layout, const StaticStrides& memory, const Alignment& origin,
                                    int element_bytes, int max_bytes) {
  std::optional<std::vector<int64_t>> offsets = register_offsets(layout, memory);
  if (!offsets)
    throw CompileError("internal: registers and threads of a layout share coordinate bits, in: " + to_string(layout));
  std::map<int64_t, std::vector<int>> by_offset;
  for (size_t reg = 0; reg < offsets->size(); ++reg) by_offset[(*offsets)[reg]].push_back(static_cast<int>(reg));

  Alignment base = thread_base_alignment(layout, memory, origin);
  int64_t widest = std::max<int64_t>(1, max_bytes / element_bytes);
  while (base.divisor % widest != 0) widest /= 2;

  std::vector<VectorAccess> accesses;
  for (auto first = by_offset.begin(); first != by_offset.end();) {
    // The longest aligned access that starts here and stays inside the run. Starting at the lowest uncovered offset,
    // this is optimal: an element's enclosing aligned blocks nest, and the largest one inside the run is taken.
    int64_t count = 1;
    auto end = std::next(first);
    auto reach = end;
    for (int64_t length = 1; length < widest && multiple_of(first->first + base.remainder, 2 * length); length *= 2) {
      while (reach != by_offset.end() && reach->first == std::prev(reach)->first + 1 &&
             reach->first < first->first + 2 * length)
        ++reach;
      if (std::prev(reach)->first != first->first + 2 * length - 1) break;
      count = 2 * length;
      end = reach;
    }
    VectorAccess access{first->first, static_cast<int>(count), {}};
    for (; first != end; ++first) access.registers.push_back(first->second);
    accesses.push_back(std::move(access));
  }
  return accesses;
}

}  // namespace sinter::tile_ir
