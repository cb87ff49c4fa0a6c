// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

TileShape TileShape::of(std::span<const int32_t> dims, int parts) {
  TileShape shape;
  shape.rank = static_cast<int>(dims.size());
  shape.parts = parts;
  if (dims.size() > max_tile_dims || parts < 1) {
    throw CompileError(fmt::format("internal: tile of {} dims and {} parts", dims.size(), parts));
  }
  for (int32_t dim : dims) {
    if (dim < 1 || !std::has_single_bit(static_cast<uint32_t>(dim))) {
      throw CompileError(fmt::format("internal: tile dim {} is not a power of two", dim));
    }
  }
  std::ranges::copy(dims, shape.dims.begin());
  if (shape.log_elements() > 31) throw CompileError("internal: tile of more than 2^31 elements");
  return shape;
}

int TileShape::log_dim(int dim) const {
  return std::countr_zero(static_cast<uint32_t>(dims[static_cast<size_t>(dim)]));
}

int TileShape::log_elements() const {
  int bits = 0;
  for (int dim = 0; dim < rank; ++dim) bits += log_dim(dim);
  return bits;
}

int TileShape::shift_of(int dim) const {
  int shift = 0;
  for (int d = dim + 1; d < rank; ++d) shift += log_dim(d);
  return shift;
}

uint32_t TileShape::flatten(const TileCoords& coords) const {
  uint32_t element = 0;
  for (int dim = 0; dim < rank; ++dim) {
    element = element << log_dim(dim) | static_cast<uint32_t>(coords[static_cast<size_t>(dim)]);
  }
  return element;
}

TileCoords TileShape::unflatten(uint32_t element) const {
  TileCoords coords{};
  for (int dim = rank - 1; dim >= 0; --dim) {
    coords[static_cast<size_t>(dim)] = static_cast<int32_t>(element & ((uint32_t{1} << log_dim(dim)) - 1));
    element >>= log_dim(dim);
  }
  return coords;
}

}  // namespace sinter::tile_ir
