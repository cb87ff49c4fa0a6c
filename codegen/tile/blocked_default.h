// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/layout/blocked.h"

namespace sinter::tile_ir {

/// Elements along the last dim first; no vectors, no threads yet.
BlockedLayout last_dim_first(const TileShape& shape);

/// Threads along the last dim first, one element each, the rest in registers: for tiles that no memory access shapes.
LinearLayout default_layout(const TileShape& shape, int threads);

}  // namespace sinter::tile_ir
