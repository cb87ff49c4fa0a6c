// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/layout/blocked.h"

namespace sinter::tile_ir {

/// Element-number bits that a fold along `dim` needs in registers: a chunk's partial sum p takes in the elements p +
/// 256, p + 512 and p + 768 one after the other, so one thread must hold them all.
uint32_t fold_bits(const TileShape& shape, int dim);

/// Can a tile be folded along `dim` as it lies: are those bits in registers, and is every bit of the dim one input bit?
bool folds_in_place(const LinearLayout& layout, int dim);

/// Element-number bits that a scan along `dim` wants in registers: the lowest ones, so that a thread scans runs by
/// itself, unless the dim is the innermost one, whose neighbours belong to lanes.
uint32_t scan_bits(const TileShape& shape, int dim);

/// Can a tile be scanned along `dim` as it lies: is every bit of the dim one input bit, and are those of warps the
/// highest?
bool scans_in_place(const LinearLayout& layout, int dim);

/// A blocked layout with `bits` of the element number kept in registers; threads spread over the others, along
/// blocked.order, beyond blocked.vector. If `scanned` is a dim, warps take its highest bits, as far as they take any.
LinearLayout make_fold_layout(const BlockedLayout& blocked, int threads, uint32_t bits, int scanned = -1);

}  // namespace sinter::tile_ir
