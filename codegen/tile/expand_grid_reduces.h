// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// Results of at least as many elements meet row by row: a tile holds a piece's result along its last dim.
inline constexpr int64_t wide_result = 256;

/// Pieces that one program folds at once, as straight code, where a program's result has `elements`: a power of two.
int32_t pieces_at_once(int64_t elements, int num_warps);
/// Pieces that a group may have: those at once fold in a first meeting, as many results of that in a second.
int32_t most_pieces(int64_t elements, int num_warps);
/// Results that are stored for each group of `pieces`, at most.
int64_t slots_per_piece(int32_t most, int64_t elements, int num_warps);

/// Replaces every grid_reduce by what it means: a program stores its values and arrives; the last one of its group
/// loads what all stored, and folds it. Of a group that is larger than `pieces_at_once`, runs of so many meet first, so
/// that most of the work is done while other programs still read. First step of both back ends; logical form to logical
/// form.
void expand_grid_reduces(Kernel& kernel);

}  // namespace sinter::tile_ir
