// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/axis_info.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

namespace sinter::tile_ir {
namespace {

/// The largest power of two that divides x, as far as it counts.
int64_t power_of_two_in(int64_t x) {
  uint64_t low = static_cast<uint64_t>(x) & (0 - static_cast<uint64_t>(x));
  constexpr auto most = static_cast<uint64_t>(AxisInfo::max_divisibility);
  return low == 0 || low > most ? AxisInfo::max_divisibility : static_cast<int64_t>(low);
}

AxisInfo same_shape(const AxisInfo& a) {
  AxisInfo result;
  result.rank = a.rank;
  result.dims = a.dims;
  return result;
}

TileShape shape_of(const AxisInfo& a) { return TileShape::of({a.dims.data(), static_cast<size_t>(a.rank)}); }

/// A divisor of all values divides first values of blocks too.
AxisInfo sharpened(AxisInfo info) {
  int64_t divisor = info.divisor();
  for (int64_t& d : info.divisibility) d = std::max(d, divisor);
  return info;
}

template <typename F>
AxisInfo by_dim(const AxisInfo& a, F set) {
  AxisInfo result = same_shape(a);
  for (int dim = 0; dim < a.rank; ++dim) set(result, static_cast<size_t>(dim));
  if (a.rank == 0) set(result, 0);
  return sharpened(result);
}

int64_t times(int64_t a, int64_t b) { return a > AxisInfo::max_divisibility / b ? AxisInfo::max_divisibility : a * b; }

/// Size of the blocks along d that are contiguous and start at a multiple of their size and of `step`.
int64_t aligned_run(const AxisInfo& a, size_t d, int64_t step) {
  return std::min({a.contiguity[d], a.divisibility[d], step});
}

/// A divisor of both values where blocks of size `step` start along d.
int64_t common_divisor(const AxisInfo& a, const AxisInfo& b, size_t d, int64_t step) {
  return std::min(a.divisibility_at(static_cast<int>(d), step), b.divisibility_at(static_cast<int>(d), step));
}

void check_divisor(int64_t c) {
  if (c <= 0) throw CompileError(fmt::format("internal: axis information of a division by {}", c));
}

}  // namespace

AxisInfo AxisInfo::unknown(const TileShape& shape) {
  AxisInfo info;
  info.rank = shape.rank;
  info.dims = shape.dims;
  return info;
}

AxisInfo AxisInfo::splat(const TileShape& shape, int64_t divisibility) {
  AxisInfo info = unknown(shape);
  for (size_t d = 0; d < max_tile_dims; ++d) {
    info.constancy[d] = shape.dims[d];
    info.divisibility[d] = power_of_two_in(divisibility);
  }
  return info;
}

AxisInfo AxisInfo::splat_constant(const TileShape& shape, int64_t value) {
  AxisInfo info = splat(shape, value);
  info.constant = value;
  return info;
}

AxisInfo AxisInfo::iota(const TileShape& shape, int dim) {
  size_t along = static_cast<size_t>(dim);
  if (shape.dims[along] == 1) return splat_constant(shape, 0);
  AxisInfo info = splat(shape, 1);
  info.constancy[along] = 1;
  info.contiguity[along] = shape.dims[along];
  info.divisibility[along] = max_divisibility;
  return info;
}

int64_t AxisInfo::divisibility_at(int dim, int64_t step) const {
  size_t d = static_cast<size_t>(dim);
  return step >= contiguity[d] ? divisibility[d] : std::min(divisibility[d], step);
}

int64_t AxisInfo::divisor() const {
  int64_t result = 1;
  for (int dim = 0; dim < std::max(rank, 1); ++dim) result = std::max(result, divisibility_at(dim, 1));
  return result;
}

AxisInfo join(const AxisInfo& a, const AxisInfo& b) {
  AxisInfo result = by_dim(a, [&](AxisInfo& info, size_t d) {
    info.contiguity[d] = std::min(a.contiguity[d], b.contiguity[d]);
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = common_divisor(a, b, d, info.contiguity[d]);
  });
  if (a.constant == b.constant) result.constant = a.constant;
  return result;
}

AxisInfo add(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), *a.constant + *b.constant);
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    info.contiguity[d] = std::max(std::min(a.contiguity[d], b.constancy[d]), std::min(a.constancy[d], b.contiguity[d]));
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = common_divisor(a, b, d, info.contiguity[d]);
  });
}

AxisInfo sub(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), *a.constant - *b.constant);
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    info.contiguity[d] = std::min(a.contiguity[d], b.constancy[d]);
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = common_divisor(a, b, d, info.contiguity[d]);
  });
}

AxisInfo mul(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), *a.constant * *b.constant);
  if (a.constant == 0 || b.constant == 0) return AxisInfo::splat_constant(shape_of(a), 0);
  if (a.constant == 1) return b;
  if (b.constant == 1) return a;
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    info.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
    info.divisibility[d] = times(a.divisor(), b.divisor());
  });
}

AxisInfo floor_div(const AxisInfo& a, int64_t c) {
  check_divisor(c);
  if (a.constant) {
    int64_t q = *a.constant / c;
    return AxisInfo::splat_constant(shape_of(a), q * c > *a.constant ? q - 1 : q);
  }
  if (c == 1) return a;
  const int64_t twos = power_of_two_in(c);
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    // A run that starts at a multiple of its size, which divides c, does not cross a multiple of c.
    info.constancy[d] = std::max(a.constancy[d], aligned_run(a, d, twos));
    // A whole block has the quotient of its first value if that is a multiple of c and the block is no longer than c.
    if (twos == c && a.contiguity[d] <= c) info.divisibility[d] = std::max<int64_t>(1, a.divisibility[d] / c);
  });
}

AxisInfo floor_mod(const AxisInfo& a, int64_t c) {
  check_divisor(c);
  if (a.constant) return AxisInfo::splat_constant(shape_of(a), (*a.constant % c + c) % c);
  const int64_t twos = power_of_two_in(c);
  if (twos == c && a.divisor() >= c) return AxisInfo::splat_constant(shape_of(a), 0);
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    info.contiguity[d] = aligned_run(a, d, twos);
    info.constancy[d] = a.constancy[d];
    info.divisibility[d] = std::min(a.divisibility_at(static_cast<int>(d), info.contiguity[d]), twos);
  });
}

namespace {

/// One of two values, chosen element by element by something that is constant over blocks of the given sizes.
AxisInfo either(const AxisInfo& a, const AxisInfo& b, const AxisInfo::PerDim& choice) {
  AxisInfo result = by_dim(a, [&](AxisInfo& info, size_t d) {
    info.contiguity[d] = std::min({a.contiguity[d], b.contiguity[d], choice[d]});
    info.constancy[d] = std::min({a.constancy[d], b.constancy[d], choice[d]});
    info.divisibility[d] = common_divisor(a, b, d, info.contiguity[d]);
  });
  if (a.constant && a.constant == b.constant) return a;
  return result;
}

AxisInfo::PerDim common_constancy(const AxisInfo& a, const AxisInfo& b) {
  AxisInfo::PerDim result{};
  for (size_t d = 0; d < max_tile_dims; ++d) result[d] = std::min(a.constancy[d], b.constancy[d]);
  return result;
}

/// Constancy of a comparison in which `moving` runs upwards from multiples of a block's size against `bound`, a
/// multiple of that size: all values of the block lie on one side.
AxisInfo comparison(const AxisInfo& a, const AxisInfo& b, const AxisInfo& moving, const AxisInfo& bound) {
  return by_dim(a, [&](AxisInfo& info, size_t d) {
    int64_t run = std::min({aligned_run(moving, d, bound.constancy[d]), bound.divisor()});
    info.constancy[d] = std::max(std::min(a.constancy[d], b.constancy[d]), run);
  });
}

}  // namespace

AxisInfo minimum(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), std::min(*a.constant, *b.constant));
  return either(a, b, common_constancy(a, b));
}

AxisInfo maximum(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), std::max(*a.constant, *b.constant));
  return either(a, b, common_constancy(a, b));
}

AxisInfo less(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), *a.constant < *b.constant);
  return comparison(a, b, a, b);
}

AxisInfo less_equal(const AxisInfo& a, const AxisInfo& b) {
  if (a.constant && b.constant) return AxisInfo::splat_constant(shape_of(a), *a.constant <= *b.constant);
  return comparison(a, b, b, a);
}

AxisInfo select(const AxisInfo& condition, const AxisInfo& a, const AxisInfo& b) {
  if (condition.constant) return *condition.constant ? a : b;
  return either(a, b, condition.constancy);
}

AxisInfo broadcast(const AxisInfo& a, const TileShape& shape) {
  AxisInfo result = a;
  result.rank = shape.rank;
  result.dims = shape.dims;
  for (size_t d = 0; d < max_tile_dims; ++d) {
    if (a.dims[d] != shape.dims[d]) result.constancy[d] = shape.dims[d];
    if (static_cast<int>(d) >= a.rank) result.divisibility[d] = a.divisor();
  }
  return sharpened(result);
}

AxisInfo transpose(const AxisInfo& a, std::span<const int> order) {
  AxisInfo result = a;
  for (size_t i = 0; i < order.size(); ++i) {
    size_t from = static_cast<size_t>(order[i]);
    result.dims[i] = a.dims[from];
    result.contiguity[i] = a.contiguity[from];
    result.divisibility[i] = a.divisibility[from];
    result.constancy[i] = a.constancy[from];
  }
  return result;
}

}  // namespace sinter::tile_ir
