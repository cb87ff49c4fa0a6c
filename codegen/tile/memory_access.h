// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"
#include "codegen/tile/layout/choose.h"
#include "codegen/tile/layout/vectorize.h"
#include "codegen/tile/scalar_info.h"

namespace sinter::tile_ir {

/// A block access as the layout algebra sees it.
struct AccessPattern {
  MemoryPattern memory;   ///< for choose_layout
  StaticStrides strides;  ///< huge powers of two stand in for run-time strides: nothing merges across them
  Alignment origin;       ///< of the first element of a tile, in elements
};

TileShape tile_shape(const Type& type);
AccessPattern access_pattern(const Instruction& access, const Type& tile, const Parameter& pointer,
                             const ScalarInfo& scalars);

/// 32-byte sectors that a warp touches in a whole access under a layout, and its accesses; the estimate by which
/// layouts are compared.
struct AccessCost {
  int64_t sectors = 0;
  int64_t accesses = 0;
};
AccessCost access_cost(const LinearLayout& layout, const AccessPattern& pattern);

}  // namespace sinter::tile_ir
