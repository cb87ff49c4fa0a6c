// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// Where the elements of a tile lie in shared memory between two layouts.
///
/// Offsets are a linear map of element numbers, so choosing them is choosing a basis of the tile's space: the elements
/// at offsets 1, 2, 4, ... From low to high it consists of
///
/// - V, the registers of one vector access. Both sides use the registers they have in common. One side may be wider by
///   more of its registers, E; its V then begins with the other's.
/// - bank vectors, up to the 128 bytes that the banks are wide,
/// - Seg, which tells rows of banks apart, and
/// - T, which tells rounds apart where the tile does not fit into the memory; it lies in registers only.
///
/// Vectors are aligned when no thread bit has a component along its side's V: the span N of everything but V has to
/// contain the threads of the wide side, and those of the other up to E. An access is free of bank conflicts when lanes
/// of one phase that read different elements fall on different places of a row, that is, when no combination of V and
/// of the phase's lane vectors lies in Seg. Inside of N these are two subspaces that Seg has to avoid: the wide side's
/// lanes, and those combinations of the other side's lanes that have no component along E. If neither is larger than
/// the bank vectors are many, a common complement of the two exists (see subspace.h). Without E that is always so; with
/// E the components of the narrow side's lanes along E are chosen to make it so, else E is made smaller. (For accesses
/// below 4 bytes, lanes may also differ by the basis vectors inside of a word.)
struct Swizzle {
  /// Element number -> offset in elements; the bits from `offset_bits` up are the number of the round in which the
  /// element goes through memory.
  BitMap offset;
  int offset_bits = 0;
  int store_vector_bits = 0;
  int load_vector_bits = 0;
  int rounds() const { return 1 << (offset.outputs() - offset_bits); }
};

/// The swizzle between two layouts with at most `max_elements` in memory at a time; nothing if the registers do not
/// allow that many rounds. Layouts as for plan_conversion.
std::optional<Swizzle> choose_swizzle(const LinearLayout& source, const LinearLayout& target, int element_bytes,
                                      uint32_t max_elements);

}  // namespace sinter::tile_ir
