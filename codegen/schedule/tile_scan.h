// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "codegen/tile/builder.h"
#include "src/loop/scan_combine.h"

namespace sinter::schedule {

/// One scan of a tile program that comes to its tiles in order, and what it keeps between them. The tiles of a chunk
/// are runs of the canonical order, so what they end with meets like the digits of a binary counter: slot l holds what
/// 2^l of them end with. An element takes in, lowest first, the slots where its tile's number in the chunk has a bit,
/// then what is before its chunk.
class TileScan {
 public:
  using Values = std::vector<tile_ir::Value>;

  /// `levels`: tiles of a chunk are at most 2^levels.
  TileScan(tile_ir::KernelBuilder& b, graph::ScanKind kind, DType type, int dim, int levels, bool several_chunks);

  /// Before the first tile; `end` is the shape of what a tile ends with.
  Values start(const tile_ir::Type& end);
  size_t carried_size() const;

  /// One tile by itself: the scanned values, and what it ends with.
  struct Tile {
    Values scanned, end;
  };
  Tile scan(std::span<const tile_ir::Value> values);
  /// Scanned values of tile `number` (i64) of its chunk, with what is carried from before taken in.
  Values take_in(tile_ir::Value number, std::span<const tile_ir::Value> carried, Values scanned);
  /// What is carried on after that tile; `last` (boolean) says that it is the chunk's last.
  Values carry_on(tile_ir::Value number, tile_ir::Value last, std::span<const tile_ir::Value> carried, Values end);

  /// A program with one chunk of a sequence (tile_ir: grid_scan).
  struct Meeting {
    int words = -1;
    int64_t places = 1;
    tile_ir::Value number, piece, count;
  };
  /// What is before the chunk of a program, which ends with `end`.
  Values before(const Meeting& meeting, std::span<const tile_ir::Value> end);
  /// `later` after `earlier`, element by element.
  Values combined(std::span<const tile_ir::Value> earlier, std::span<const tile_ir::Value> later);

 private:
  Values chosen(tile_ir::Value condition, std::span<const tile_ir::Value> a, std::span<const tile_ir::Value> b);
  Values identity();
  Values all(std::span<const tile_ir::Value> values);

  tile_ir::Value is_full(tile_ir::Value number, int slot);
  std::span<const tile_ir::Value> slot(std::span<const tile_ir::Value> carried, int slot) const;

  tile_ir::KernelBuilder& b_;
  loop::ScanCombine combine_;
  int dim_, levels_;
  bool several_chunks_;
};

}  // namespace sinter::schedule
