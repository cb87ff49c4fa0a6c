// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "codegen/tile/layout/blocked.h"

namespace sinter::tile_ir {

/// What is known of a stride, in elements: its value, or only a divisor of it.
struct StrideClass {
  std::optional<int64_t> value;
  int64_t divisibility = 1;  ///< used when the value is unknown

  static StrideClass of(int64_t value) { return {value, value}; }
  static StrideClass unknown(int64_t divisibility = 1) { return {std::nullopt, divisibility}; }
};

/// A memory access of a whole tile, as far as the choice of its layout depends on it.
struct MemoryPattern {
  StrideClass parts = StrideClass::of(0);
  std::array<StrideClass, max_tile_dims> dims{};
  int64_t base_divisibility = 1;  ///< a divisor of every tile's first address, in elements
  /// The access will be lowered to aligned windows and shifts: its vectors need no aligned start.
  bool realigned = false;
  int element_bytes = 4;
};

/// The blocked layout under which the access is coalesced and its vectors are the widest.
///
/// Dims are ordered by the size of their stride, unknown ones after known ones with the later dim first, and broadcast
/// dims (stride 0) last, so that the threads run along memory and copies of one element gather in registers. A thread
/// takes 16 bytes along the contiguous run as far as alignment, tile and thread count (no thread idles for the sake of
/// wider vectors) allow; a run goes on into the next dim when that dim's stride continues it. Where parts interleave
/// (stride 1, with the fastest dim striding over them: pixels of 3 channels), a thread takes the fewest elements whose
/// parts together fill whole 16-byte vectors: 16 pixels of three bytes are 48 contiguous bytes.
BlockedLayout choose_blocked(const TileShape& shape, int threads, const MemoryPattern& memory);
LinearLayout choose_layout(const TileShape& shape, int threads, const MemoryPattern& memory);

}  // namespace sinter::tile_ir
