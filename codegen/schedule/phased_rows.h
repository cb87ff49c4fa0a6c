// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/schedule/target.h"
#include "codegen/schedule/tiling.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// A nest and the tiles that were chosen for it.
struct TiledNest {
  loop::Nest nest;
  Tiling tiling;
};

/// For CUDA, where rows are stored whose length is no multiple of a vector: rows a period apart start at the same place
/// between two boundaries, so that a tile of such rows, begun before the row's first element, is written by whole
/// vectors, but for both ends of a row. The row axis is split: row = period * u + s, and a program takes some u of one
/// s. Loads must lie as the stores do, or be the same for all rows (then they are loaded once for a tile's rows,
/// element by element), or the same along a row. Nothing where that is not so, where rows are short, or extents
/// symbolic.
///
/// H200, where(mask, a * b + c, 0) of 256 x 512 x 1021 f16 with mask and b in phase and a the same for all rows: 0.130
/// ms written by hand so, 0.155 by single elements from tiles that share what is broadcast, 0.178 by rows.
std::optional<TiledNest> with_phased_rows(const loop::Program& program, const loop::Nest& nest, const Target& target);

}  // namespace sinter::schedule
