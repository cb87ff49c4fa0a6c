// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/schedule/target.h"
#include "codegen/schedule/tiling.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// How a nest that scans an axis becomes tiles: a program goes along the axis, tile after tile of `width` elements, a
/// power of two that divides a chunk of the canonical order.
struct ScanPlan {
  Tiling tiling;
  int dim = 0;  ///< tile dim of the axis
  int32_t width = 256;
  bool over_grid = false;  ///< a program has one chunk of a row, and gets what is before it from others
};

/// What a plan depends on besides the nest.
struct ScanWishes {
  int32_t most = 32;        ///< elements of a CUDA thread
  bool may_spread = false;  ///< over the grid
  bool dear = false;        ///< combining two elements is tens of instructions: small tiles, or code would be long
};

/// Rows (the axis is the contiguous one): a program owns one row, several if rows are short. On CUDA a tile is a whole
/// chunk if the row is that long: then all steps of a chunk are in one place. Long rows of which there are too few for
/// the machine are spread over the grid. Columns (another axis is contiguous): a program owns a strip of neighbouring
/// columns; a thread keeps a run of each of its columns in registers.
ScanPlan plan_scan(const loop::Nest& nest, size_t axis, const Target& target, const ScanWishes& wishes);

}  // namespace sinter::schedule
