// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/schedule/target.h"
#include "codegen/schedule/tiling.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// How a nest with one reduction axis becomes tiles in the canonical order.
///
/// The axis is cut into units that meet in a binary tree, lowest bit first. A unit is one of
///   - a run of `width` neighbouring partials of one chunk: `folds` tiles of `width` elements, 256 elements apart,
///   folded
///     from left to right, then a tile reduce; 256 / width units are a chunk;
///   - with width 256, `chunks` whole chunks, whose folds meet in a binary tree.
/// `single`: one unit holds the whole axis (its tiles are kept for what reads the elements again); then the width is
/// any power of two up to 256.
struct FoldPlan {
  Tiling tiling;
  int dim = 0;  ///< tile dim of the reduction axis
  int32_t width = 256;
  int32_t folds = 4;
  int32_t chunks = 1;
  bool single = false;
  int64_t units_per_chunk() const { return width < 256 && !single ? 256 / width : 1; }
};

/// Rows (the reduction axis is the contiguous one): a program owns one output, several if rows are short. Columns (a
/// parallel axis is): a program owns a strip of neighbouring outputs. A row of up to 4096 elements on CUDA, 1024 on the
/// CPU, is one unit, so that what is read again (softmax) is loaded and computed once.
FoldPlan plan_fold(const loop::Nest& nest, const Target& target);

}  // namespace sinter::schedule
