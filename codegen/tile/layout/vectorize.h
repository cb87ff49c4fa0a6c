// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// Addresses of a tile in memory: element (part, c) is at origin + part * part_stride + sum c[d] * strides[d]. Strides
/// count elements and are static; zero and negative ones are allowed.
struct StaticStrides {
  int64_t part_stride = 0;
  std::array<int64_t, max_tile_dims> strides{};
};

/// What is known of an address: it equals `remainder` modulo `divisor`, in elements. Only powers of two in the divisor
/// help a vector access; any positive divisor is accepted.
struct Alignment {
  int64_t divisor = 1;
  int64_t remainder = 0;
};

/// One memory access of a thread: `count` (a power of two) consecutive elements, the first at thread base + offset.
struct VectorAccess {
  int64_t offset = 0;
  int count = 1;
  /// registers[i] are those that hold element i of the access, ascending. A load fills all of them; a store takes the
  /// first. Several only where a stride is zero or the layout has free register bits.
  std::vector<std::vector<int>> registers;
  friend bool operator==(const VectorAccess&, const VectorAccess&) = default;
};

/// Offset in elements of every register (parts included) from its thread's base, which is
/// origin + sum over the set lane, warp and block bits of their offsets. Nothing when registers and threads share
/// coordinate bits (see LinearLayout::registers_separate): XOR then is no addition, and the difference is not constant.
std::optional<std::vector<int64_t>> register_offsets(const LinearLayout& layout, const StaticStrides& memory);

/// What is known of every thread's base: the alignment of the origin, weakened by the offsets of all thread bits.
Alignment thread_base_alignment(const LinearLayout& layout, const StaticStrides& memory, const Alignment& origin);

/// The fewest aligned accesses of at most `max_bytes` (a power of two) that cover a thread's registers: offsets are
/// sorted, equal ones merged, maximal runs of consecutive offsets cut at the alignment known for the base. Ascending
/// offsets. Needs registers_separate(), else CompileError.
std::vector<VectorAccess> vectorize(const LinearLayout& layout, const StaticStrides& memory, const Alignment& origin,
                                    int element_bytes, int max_bytes = 16);

}  // namespace sinter::tile_ir
