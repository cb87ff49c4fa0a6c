// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/tile/layout/bit_map.h"

namespace sinter::tile_ir {

inline constexpr int max_tile_dims = 4;
/// One number per tile dim; entries at and above the rank are unused (zero as coordinates, one as sizes).
using TileCoords = std::array<int32_t, max_tile_dims>;

/// A tile without its dtype: power-of-two dims, times an integer number of parts.
struct TileShape {
  int rank = 0;
  TileCoords dims{1, 1, 1, 1};
  int parts = 1;

  /// Throws CompileError unless there are at most 4 dims, all powers of two, at most 2^31 elements, and parts >= 1.
  static TileShape of(std::span<const int32_t> dims, int parts = 1);
  int log_dim(int dim) const;   ///< log2 of a dim
  int log_elements() const;     ///< log2 of the elements of one part
  int shift_of(int dim) const;  ///< position of a dim's lowest bit in a row-major element number
  uint32_t flatten(const TileCoords& coords) const;
  TileCoords unflatten(uint32_t element) const;
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// The groups of input bits of a layout: which register, which lane of the warp, which warp, which block of a cluster.
enum class BitGroup : uint8_t { reg, lane, warp, block };
inline constexpr int bit_groups = 4;

/// Basis vectors of one layout by group: entry i is the coordinate vector that bit i of the group contributes.
using LayoutBases = std::array<std::vector<TileCoords>, bit_groups>;

/// Who holds which element of a tile: a linear map over GF(2) from (register, lane, warp, block) bits to coordinate
/// bits (the idea is from arXiv 2505.23819). Input bit i contributes one coordinate vector, its basis vector; the
/// element at an input is the XOR, dim by dim, of the basis vectors of its set bits. All dims are powers of two, so
/// coordinates are bit fields and XOR never leaves the tile.
///
/// Internally a coordinate vector is its row-major element number. Numbering elements row-major concatenates the bit
/// fields of the dims, which makes reshape a change of names, transpose a permutation of bits, and everything else
/// BitMap algebra.
///
/// A zero basis vector is a *free* bit: inputs that differ in it hold the same element (broadcast). More generally any
/// linear dependency between basis vectors means several holders; pivots() names one of them.
///
/// `parts` copies of the tile live in registers: register index = part * registers_per_part() + r, where r are the
/// register bits of the map. Only r, lane, warp and block are linear, so parts may be any integer.
class LinearLayout {
 public:
  LinearLayout() = default;  ///< one element, one thread
  /// Throws CompileError when a basis vector lies outside the shape or there are more than 32 input bits.
  LinearLayout(const TileShape& shape, const LayoutBases& bases);
  /// From a map onto row-major element numbers; `group_bits` splits its inputs, registers lowest.
  LinearLayout(const TileShape& shape, const BitMap& map, const std::array<int, bit_groups>& group_bits);

  const TileShape& shape() const { return shape_; }
  int rank() const { return shape_.rank; }
  int parts() const { return shape_.parts; }
  /// The whole map: inputs are register, lane, warp, block bits from low to high, outputs row-major element numbers.
  const BitMap& map() const { return map_; }

  int bits(BitGroup group) const { return bits_[static_cast<size_t>(group)]; }
  int first_bit(BitGroup group) const;  ///< position of the group's bit 0 in the inputs of map()
  int size(BitGroup group) const { return 1 << bits(group); }
  int registers_per_part() const { return size(BitGroup::reg); }
  int registers() const { return parts() * registers_per_part(); }
  int threads() const { return size(BitGroup::lane) * size(BitGroup::warp); }

  /// Basis vectors of a group as element numbers / as coordinates.
  std::span<const uint32_t> columns(BitGroup group) const;
  TileCoords basis(BitGroup group, int bit) const;
  LayoutBases bases() const;

  /// Row-major number, within its part, of the element that a register (of any part) holds.
  uint32_t element(uint32_t reg, uint32_t lane, uint32_t warp = 0, uint32_t block = 0) const;
  TileCoords coords(uint32_t reg, uint32_t lane, uint32_t warp = 0, uint32_t block = 0) const;
  int part_of(int reg) const { return reg / registers_per_part(); }

  bool surjective() const { return map_.surjective(); }  ///< every element has a holder: true of any laid-out value
  bool injective() const { return map_.injective(); }    ///< nobody holds a copy
  /// Bits of a group whose basis vector is zero.
  uint32_t free_bits(BitGroup group) const;
  /// Bits of a group that are needed to reach every element; inputs that keep all other bits zero hold each element
  /// exactly once.
  uint32_t pivots(BitGroup group) const;
  /// Element number -> input bits (as in map()) of the holder that uses pivot bits only.
  BitMap holder() const { return map_.pseudo_inverse(); }
  /// Whether registers and threads address different bits of every dim: a register's coordinates are then a constant
  /// plus the thread's.
  bool registers_separate() const;

  /// The same elements under other dims (row-major order kept). Throws CompileError when the sizes differ.
  LinearLayout reshape(std::span<const int32_t> dims) const;
  /// Result dim i is dim order[i].
  LinearLayout transpose(std::span<const int> order) const;
  /// Layout of the tile without a dim: of the result of a reduction along it, or of an operand that is to be broadcast
  /// along it. Every holder stays where it is; bits that told apart coordinates of the dim become free, registers too,
  /// so register r here feeds or comes from register r of the full tile.
  LinearLayout remove_dim(int dim) const;
  /// Layout with the free register bits taken out; register r of the result is register spread_bits(r, kept) here with
  /// `kept` the other register bits.
  LinearLayout without_free_registers() const;
  LinearLayout with_parts(int parts) const;

  /// Registers renamed, threads relabelled: input bits x of the result are input bits change(x) here.
  LinearLayout compose(const BitMap& change, const std::array<int, bit_groups>& group_bits) const;

  /// Tiles `this` along every dim as `outer` says: sizes multiply, input bits of `this` stay the low ones in each
  /// group.
  LinearLayout product(const LinearLayout& outer) const;
  /// The layout `outer` with inner.product(outer) == *this, if there is one.
  std::optional<LinearLayout> divide(const LinearLayout& inner) const;

  size_t hash() const;
  friend bool operator==(const LinearLayout&, const LinearLayout&) = default;

 private:
  TileShape shape_;
  BitMap map_{0, 0};
  std::array<int, bit_groups> bits_{};
};

/// Places the low bits of x at the set bits of mask, in order (PDEP).
uint32_t spread_bits(uint32_t x, uint32_t mask);

/// Canonical text: `{reg: [0,1],[0,2]; lane: [0,4],[1,0]; warp: [2,0]; tile: 4x8; parts: 3}`. Empty groups are left
/// out, so are `parts: 1` and a `tile` that is the smallest one around the basis vectors.
std::string to_string(const LinearLayout& layout);
/// Inverse of to_string; blanks are free. Throws CompileError naming the column of a syntax error.
LinearLayout parse_layout(std::string_view text);

}  // namespace sinter::tile_ir

template <>
struct std::hash<sinter::tile_ir::LinearLayout> {
  size_t operator()(const sinter::tile_ir::LinearLayout& layout) const { return layout.hash(); }
};
