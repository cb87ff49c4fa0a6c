// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::llvm_codegen {

/// How an unmasked strided box meets the machine's vectors. `rows` moves runs of neighbouring elements (or of one
/// element, or of elements in reverse); the others reduce to it by moves in registers, or to single elements.
struct AccessPattern {
  enum class Kind : uint8_t {
    rows,         ///< pieces of `run` lanes at stride `step` = 1, 0 or -1
    interleaved,  ///< all parts of a chunk are neighbours: parts * lanes elements, part p of lane l at l * parts + p
    permuted,     ///< rows once the dims are read in the order `order`
    elements,     ///< element by element
  };
  Kind kind = Kind::elements;
  int step = 0;
  int run = 1;                  ///< lanes of the innermost run (of the permuted tile where permuted)
  bool reversed_parts = false;  ///< interleaved: part p of lane l at l * parts + (parts - 1 - p)
  std::vector<int> order;       ///< permuted: dim order[i] of the tile is dim i of the permuted one
};

AccessPattern access_pattern(const tile_ir::Access& access, const tile_ir::Type& type, int lanes);

/// `type` with its dims in the order `order`.
tile_ir::Type permuted(const tile_ir::Type& type, const std::vector<int>& order);

}  // namespace sinter::llvm_codegen
