// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/linear_layout.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>

namespace sinter::tile_ir {
namespace {

constexpr BitGroup all_groups[] = {BitGroup::reg, BitGroup::lane, BitGroup::warp, BitGroup::block};

uint32_t low_mask(int bits) { return bits >= 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1; }

}  // namespace

LinearLayout::LinearLayout(const TileShape& shape, const LayoutBases& bases) : shape_(shape) {
  std::vector<uint32_t> columns;
  for (BitGroup group : all_groups) {
    const auto& vectors = bases[static_cast<size_t>(group)];
    bits_[static_cast<size_t>(group)] = static_cast<int>(vectors.size());
    for (const TileCoords& vector : vectors) {
      for (int dim = 0; dim < max_tile_dims; ++dim) {
        int32_t c = vector[static_cast<size_t>(dim)];
        if (c < 0 || c >= (dim < shape.rank ? shape.dims[static_cast<size_t>(dim)] : 1)) {
          throw CompileError(fmt::format("internal: layout basis coordinate {} outside of dim {}", c, dim));
        }
      }
      columns.push_back(shape.flatten(vector));
    }
  }
  map_ = BitMap(columns, shape.log_elements());
}

LinearLayout::LinearLayout(const TileShape& shape, const BitMap& map, const std::array<int, bit_groups>& group_bits)
    : shape_(shape), map_(map), bits_(group_bits) {
  int total = 0;
  for (int bits : group_bits) total += bits;
  if (total != map.inputs() || map.outputs() != shape.log_elements()) {
    throw CompileError(fmt::format("internal: layout of {} input bits and {} element bits from a map of {} and {}",
                                   total, shape.log_elements(), map.inputs(), map.outputs()));
  }
}

int LinearLayout::first_bit(BitGroup group) const {
  int first = 0;
  for (size_t g = 0; g < static_cast<size_t>(group); ++g) first += bits_[g];
  return first;
}

std::span<const uint32_t> LinearLayout::columns(BitGroup group) const {
  return map_.columns().subspan(static_cast<size_t>(first_bit(group)), static_cast<size_t>(bits(group)));
}

TileCoords LinearLayout::basis(BitGroup group, int bit) const {
  return shape_.unflatten(columns(group)[static_cast<size_t>(bit)]);
}

LayoutBases LinearLayout::bases() const {
  LayoutBases bases;
  for (BitGroup group : all_groups) {
    for (uint32_t column : columns(group)) bases[static_cast<size_t>(group)].push_back(shape_.unflatten(column));
  }
  return bases;
}

uint32_t LinearLayout::element(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  uint32_t input = reg & low_mask(bits(BitGroup::reg));
  input |= lane << first_bit(BitGroup::lane);
  if (bits(BitGroup::warp) > 0) input |= warp << first_bit(BitGroup::warp);
  if (bits(BitGroup::block) > 0) input |= block << first_bit(BitGroup::block);
  return map_.apply(input);
}

TileCoords LinearLayout::coords(uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block) const {
  return shape_.unflatten(element(reg, lane, warp, block));
}

uint32_t LinearLayout::free_bits(BitGroup group) const {
  uint32_t free = 0;
  for (int bit = 0; bit < bits(group); ++bit) {
    if (columns(group)[static_cast<size_t>(bit)] == 0) free |= uint32_t{1} << bit;
  }
  return free;
}

uint32_t LinearLayout::pivots(BitGroup group) const {
  if (bits(group) == 0) return 0;
  return map_.pivots() >> first_bit(group) & low_mask(bits(group));
}

bool LinearLayout::registers_separate() const {
  uint32_t by_register = 0, by_thread = 0;
  for (uint32_t column : columns(BitGroup::reg)) by_register |= column;
  for (BitGroup group : {BitGroup::lane, BitGroup::warp, BitGroup::block}) {
    for (uint32_t column : columns(group)) by_thread |= column;
  }
  return (by_register & by_thread) == 0;
}

LinearLayout LinearLayout::reshape(std::span<const int32_t> dims) const {
  TileShape shape = TileShape::of(dims, parts());
  if (shape.log_elements() != shape_.log_elements()) {
    throw CompileError(fmt::format("internal: reshape of a layout of 2^{} elements to 2^{}", shape_.log_elements(),
                                   shape.log_elements()));
  }
  return LinearLayout(shape, map_, bits_);
}

LinearLayout LinearLayout::transpose(std::span<const int> order) const {
  TileShape shape = shape_;
  uint32_t seen = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= 0 && order[i] < rank()) {
      seen |= uint32_t{1} << order[i];
      shape.dims[i] = shape_.dims[static_cast<size_t>(order[i])];
    }
  }
  if (order.size() != static_cast<size_t>(rank()) || seen != low_mask(rank())) {
    throw CompileError("internal: transpose of a layout needs a permutation of its dims");
  }
  LayoutBases result;
  LayoutBases old = bases();
  for (size_t g = 0; g < bit_groups; ++g) {
    for (const TileCoords& vector : old[g]) {
      TileCoords moved{};
      for (size_t i = 0; i < order.size(); ++i) moved[i] = vector[static_cast<size_t>(order[i])];
      result[g].push_back(moved);
    }
  }
  return LinearLayout(shape, result);
}

LinearLayout LinearLayout::remove_dim(int dim) const {
  if (dim < 0 || dim >= rank())
    throw CompileError(fmt::format("internal: layout of rank {} has no dim {}", rank(), dim));
  TileShape shape = shape_;
  LayoutBases result = bases();
  auto drop = [&](TileCoords& coords, int32_t last) {
    for (size_t d = static_cast<size_t>(dim); d + 1 < max_tile_dims; ++d) coords[d] = coords[d + 1];
    coords[max_tile_dims - 1] = last;
  };
  drop(shape.dims, 1);
  --shape.rank;
  for (auto& group : result) {
    for (TileCoords& vector : group) drop(vector, 0);
  }
  return LinearLayout(shape, result);
}

LinearLayout LinearLayout::without_free_registers() const {
  LayoutBases result = bases();
  std::erase_if(result[static_cast<size_t>(BitGroup::reg)], [](const TileCoords& v) { return v == TileCoords{}; });
  return LinearLayout(shape_, result);
}

LinearLayout LinearLayout::with_parts(int parts) const {
  LinearLayout result = *this;
  result.shape_ = TileShape::of({shape_.dims.data(), static_cast<size_t>(rank())}, parts);
  return result;
}

LinearLayout LinearLayout::compose(const BitMap& change, const std::array<int, bit_groups>& group_bits) const {
  return LinearLayout(shape_, tile_ir::compose(map_, change), group_bits);
}

LinearLayout LinearLayout::product(const LinearLayout& outer) const {
  if (rank() != outer.rank()) {
    throw CompileError(fmt::format("internal: product of layouts of ranks {} and {}", rank(), outer.rank()));
  }
  TileShape shape = shape_;
  shape.parts = parts() * outer.parts();
  for (size_t d = 0; d < max_tile_dims; ++d) shape.dims[d] *= outer.shape_.dims[d];
  LayoutBases result = bases();
  LayoutBases high = outer.bases();
  for (size_t g = 0; g < bit_groups; ++g) {
    for (TileCoords vector : high[g]) {
      for (size_t d = 0; d < max_tile_dims; ++d) vector[d] *= shape_.dims[d];
      result[g].push_back(vector);
    }
  }
  return LinearLayout(shape, result);
}

std::optional<LinearLayout> LinearLayout::divide(const LinearLayout& inner) const {
  if (rank() != inner.rank() || parts() % inner.parts() != 0) return std::nullopt;
  TileShape shape = shape_;
  shape.parts = parts() / inner.parts();
  for (size_t d = 0; d < max_tile_dims; ++d) {
    shape.dims[d] = shape_.dims[d] / inner.shape_.dims[d];
    if (shape.dims[d] == 0) return std::nullopt;
  }
  LayoutBases whole = bases(), low = inner.bases(), result;
  for (size_t g = 0; g < bit_groups; ++g) {
    if (whole[g].size() < low[g].size() || !std::equal(low[g].begin(), low[g].end(), whole[g].begin())) {
      return std::nullopt;
    }
    for (size_t i = low[g].size(); i < whole[g].size(); ++i) {
      TileCoords vector = whole[g][i];
      for (size_t d = 0; d < max_tile_dims; ++d) {
        if (vector[d] % inner.shape_.dims[d] != 0) return std::nullopt;
        vector[d] /= inner.shape_.dims[d];
      }
      result[g].push_back(vector);
    }
  }
  return LinearLayout(shape, result);
}

size_t LinearLayout::hash() const {
  uint64_t h = 0xcbf29ce484222325u;
  auto mix = [&](uint64_t value) { h = (h ^ value) * 0x100000001b3u, h ^= h >> 29; };
  mix(static_cast<uint64_t>(shape_.rank));
  mix(static_cast<uint64_t>(shape_.parts));
  for (int32_t dim : shape_.dims) mix(static_cast<uint64_t>(dim));
  for (int bits : bits_) mix(static_cast<uint64_t>(bits));
  for (uint32_t column : map_.columns()) mix(column);
  return static_cast<size_t>(h);
}

uint32_t spread_bits(uint32_t x, uint32_t mask) {
  uint32_t result = 0;
  for (; mask != 0; mask &= mask - 1, x >>= 1) {
    if (x & 1) result |= mask & -mask;
  }
  return result;
}

}  // namespace sinter::tile_ir
