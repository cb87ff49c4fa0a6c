// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/bit_map.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>

#include "codegen/tile/layout/subspace.h"

namespace sinter::tile_ir {

BitMap::BitMap(int inputs, int outputs) : inputs_(inputs), outputs_(outputs) {
  if (inputs < 0 || inputs > max_bits || outputs < 0 || outputs > max_bits) {
    throw CompileError(fmt::format("internal: bit map from {} to {} bits, at most {} each", inputs, outputs, max_bits));
  }
}

BitMap::BitMap(std::span<const uint32_t> columns, int outputs) : BitMap(static_cast<int>(columns.size()), outputs) {
  for (uint32_t column : columns) {
    if (outputs < 32 && column >> outputs != 0) {
      throw CompileError(fmt::format("internal: column {:#x} does not fit into {} bits", column, outputs));
    }
  }
  std::ranges::copy(columns, columns_.begin());
}

BitMap BitMap::identity(int bits) {
  BitMap map(bits, bits);
  for (int i = 0; i < bits; ++i) map.columns_[static_cast<size_t>(i)] = uint32_t{1} << i;
  return map;
}

uint32_t BitMap::apply(uint32_t x) const {
  uint32_t y = 0;
  for (int i = 0; i < inputs_; ++i) y ^= (x >> i & 1) ? column(i) : 0;
  return y;
}

int BitMap::rank() const { return std::popcount(pivots()); }

uint32_t BitMap::pivots() const {
  Subspace image;
  uint32_t pivots = 0;
  for (int i = 0; i < inputs_; ++i) {
    if (image.insert(column(i))) pivots |= uint32_t{1} << i;
  }
  return pivots;
}

BitMap BitMap::pseudo_inverse() const {
  Subspace image;
  for (int i = 0; i < inputs_; ++i) image.insert(column(i), uint32_t{1} << i);
  BitMap inverse(outputs_, inputs_);
  for (int o = 0; o < outputs_; ++o) {
    inverse.columns_[static_cast<size_t>(o)] = image.solve(uint32_t{1} << o).preimage;
  }
  return inverse;
}

BitMap compose(const BitMap& outer, const BitMap& inner) {
  if (outer.inputs() < inner.outputs()) {
    throw CompileError(fmt::format("internal: composing a map of {} bits after one that gives {} bits", outer.inputs(),
                                   inner.outputs()));
  }
  std::array<uint32_t, BitMap::max_bits> columns{};
  for (int i = 0; i < inner.inputs(); ++i) columns[static_cast<size_t>(i)] = outer.apply(inner.column(i));
  return BitMap(std::span<const uint32_t>(columns.data(), static_cast<size_t>(inner.inputs())), outer.outputs());
}

}  // namespace sinter::tile_ir
