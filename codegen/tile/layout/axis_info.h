// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// What is known of the integers in a tile, dim by dim; all numbers are powers of two. A *block* of size n along a dim
/// is n neighbours that start at a multiple of n, all other coordinates fixed.
///
/// The facts form a lattice: fewer of them are further down, unknown() is the bottom, join() the meet of what two paths
/// guarantee. Values are mathematical integers: transfer functions assume that no operation overflows.
struct AxisInfo {
  using PerDim = std::array<int64_t, max_tile_dims>;
  /// Zero divides by everything; divisibility stops here.
  static constexpr int64_t max_divisibility = int64_t{1} << 62;

  int rank = 0;
  TileCoords dims{1, 1, 1, 1};
  PerDim contiguity{1, 1, 1, 1};    ///< values of a block of this size are v, v + 1, v + 2, ...
  PerDim divisibility{1, 1, 1, 1};  ///< divides the first value of every block of size contiguity
  PerDim constancy{1, 1, 1, 1};     ///< values of a block of this size are equal
  std::optional<int64_t> constant;  ///< the value of all elements

  static AxisInfo unknown(const TileShape& shape);
  /// One value everywhere, of which a divisor is known.
  static AxisInfo splat(const TileShape& shape, int64_t divisibility);
  static AxisInfo splat_constant(const TileShape& shape, int64_t value);
  /// The coordinate along a dim.
  static AxisInfo iota(const TileShape& shape, int dim);

  /// A divisor of the values at all positions along `dim` that are multiples of `step`, a power of two.
  int64_t divisibility_at(int dim, int64_t step) const;
  /// A divisor of all values.
  int64_t divisor() const;

  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// What holds for a value that is either of the two.
AxisInfo join(const AxisInfo& a, const AxisInfo& b);

AxisInfo add(const AxisInfo& a, const AxisInfo& b);
AxisInfo sub(const AxisInfo& a, const AxisInfo& b);
AxisInfo mul(const AxisInfo& a, const AxisInfo& b);
/// Quotient rounded down and remainder in [0, c), for c > 0 (CompileError otherwise). For values >= 0 that is also
/// truncating division.
AxisInfo floor_div(const AxisInfo& a, int64_t c);
AxisInfo floor_mod(const AxisInfo& a, int64_t c);
AxisInfo minimum(const AxisInfo& a, const AxisInfo& b);
AxisInfo maximum(const AxisInfo& a, const AxisInfo& b);
/// The truth values a < b and a <= b as 0 and 1. Their constancy is what a vector access may share one mask over: it
/// covers a block of contiguous coordinates against an aligned bound.
AxisInfo less(const AxisInfo& a, const AxisInfo& b);
AxisInfo less_equal(const AxisInfo& a, const AxisInfo& b);
AxisInfo select(const AxisInfo& condition, const AxisInfo& a, const AxisInfo& b);

/// Dims of extent 1 stretched to those of `shape`.
AxisInfo broadcast(const AxisInfo& a, const TileShape& shape);
/// Result dim i is dim order[i].
AxisInfo transpose(const AxisInfo& a, std::span<const int> order);

}  // namespace sinter::tile_ir
