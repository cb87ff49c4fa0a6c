// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/schedule/row_passes.h"
#include "codegen/schedule/target.h"
#include "codegen/schedule/tiling.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// How a nest with one reduction axis becomes tiles in the canonical order.
///
/// The axis is cut into steps that meet in a binary tree, lowest bit first. A step is one of
///   - `runs` runs of whole chunks, whose folds meet in a binary tree. A run is a tile of `width` elements, a multiple
///     of 1024, or, with width 256, the `folds` tiles of a chunk, 256 elements apart, folded from left to right;
///   - with a width below 256, a chunk: 256 / width units of `width` neighbouring partials (`folds` tiles, 256 elements
///     apart), which meet in a binary tree. With a width of 1 a unit has `beside` such partials, which do as well.
/// `single`: one unit holds the whole axis (its tiles are kept for what reads the elements again); then the width is
/// any power of two.
struct FoldPlan {
  Tiling tiling;
  int dim = 0;  ///< tile dim of the reduction axis
  int32_t width = 256;
  int32_t folds = 4;
  int32_t runs = 1;
  int32_t beside = 1;  ///< neighbouring partials of a unit, each a tile of width 1
  bool single = false;
  /// Rows are read from memory once and kept in the program's own memory (Op::keep): `slots` tiles of `width`, in which
  /// a warp has a chunk, and one of `last_width` behind them for what is left. A row is spread over a cluster of
  /// programs, each of which has `share` elements; the last ones may have less.
  struct Resident {
    int32_t slots = 1;
    int32_t last_width = 0;  ///< 0: nothing is left
    int32_t cluster = 1;
    int64_t share = 0;    ///< elements
    bool staged = false;  ///< the row comes by bulk copies (Op::stage); no thread keeps anything
  };
  std::optional<Resident> resident = std::nullopt;
  /// What passes over a row would compute again (RowPasses::repeated) stays in memory of the program: tiles at most.
  int64_t kept_tiles = 0;
  int64_t unit_partials() const { return int64_t{width} * beside; }
  int64_t units_per_chunk() const { return width < 256 && !single ? 256 / unit_partials() : 1; }
  int64_t run_elements() const { return width <= 256 ? 1024 : width; }
  int64_t step_elements() const { return runs * run_elements(); }
};

/// Rows (the reduction axis is the contiguous one): a program owns one output, several if rows are short. Columns (a
/// parallel axis is): a program owns a strip of neighbouring outputs. Rows of up to 32768 elements on CUDA, of 1024 on
/// the CPU, are one unit, so that what is read again (softmax) is loaded and computed once. `again` says that elements
/// of the folded axis are.
///
/// On CUDA a chunk of a row belongs to one warp (each lane holds 32 elements: 16-byte vectors, and the partial sums
/// that a chunk folds first), so that within it only shuffles are needed. Folds that read elements once go through the
/// axis with one warp a program: no warp waits for another. Rows that do not start at vectors' boundaries are loaded by
/// elements, along which all threads of a program run.
///
/// On the CPU a row that takes many instructions an element goes by whole chunks, through which loops lead, and what
/// several passes need of it is kept: `repeated_bytes` are those of an element of it.
FoldPlan plan_fold(const loop::Nest& nest, const Target& target, bool again, int32_t repeated_bytes = 0);

/// For rows that several passes need, and that are too long for the registers of one program, or too few to give each
/// processor one. Nothing where rows are short, or longer than what the programs of a cluster can keep. A row of a
/// single program is staged if the machine has bulk copies.
///
/// Where rows are few, one is spread over as many programs as there are processors for it, if a tile for each is
/// enough. Else a program has at most half of a processor's memory, so that one computes while another reads, and
/// smaller programs overlap better. A row that even a whole cluster holds only in more than that gets more if there is
/// a row for each processor; of fewer rows, stages that are kernels of their own, over all processors, take less time.
std::optional<FoldPlan> plan_resident_rows(const loop::Nest& nest, const Target& target, const RowPasses& passes);

}  // namespace sinter::schedule
