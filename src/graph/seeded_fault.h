// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace sinter::graph {

/// Miscompiles that tests plant, to show that the fuzzer would find them. Each is one line where the code it breaks is
/// chosen, read while a kernel is compiled and never when one runs. They are part of no cache key: whoever plants one
/// compiles with compiler::run_pipeline(), which knows no cache.
enum class Fault : uint8_t {
  none,
  dropped_round_to,     ///< results of ops are not rounded to their dtypes until they are stored
  load_out_of_mask,     ///< a masked load of an input runs where its mask is false, and its fill is lost
  narrow_offset,        ///< gathered offsets are computed in 8 bits, as 2^31 elements overflow 32
  swapped_operands,     ///< b - a for a - b
  broadcast_stride,     ///< an operand of lower rank stands still along its own dims too
  lost_tail,            ///< the last, partial tile of an axis is never launched
  frozen_number,        ///< a promoted number keeps the value that it was recorded with
  dropped_view_offset,  ///< a slice is read from the beginning of its base
};

inline std::atomic<Fault> planted_fault{Fault::none};

inline bool planted(Fault f) { return planted_fault.load(std::memory_order_relaxed) == f; }

}  // namespace sinter::graph
