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
  swapped_tie,          ///< maximum(-0, 0) is -0, minimum(-0, 0) is 0
  dropped_nan,          ///< minimum and maximum give the other argument for a NaN
  wrong_wrap,           ///< integers saturate at the limits of narrow dtypes
  wrong_shift,          ///< counts past the width are taken modulo the width, as machines do
  wrong_fold,           ///< a product of constants is rounded towards zero
  copy_elided,          ///< an op that copies its input gives the input's memory
  lost_carry,           ///< a tile of a scan forgets the tiles of its chunk before it
  wrong_identity,       ///< a scan takes 0 for what is not there
  stale_alias,          ///< a temporary's memory is given to the next one before its last reader ran
  written_too_early,    ///< an in-place op does not wait for the kernels that read what was there
  missing_alias_guard,  ///< a kernel may read, at other addresses, what it writes itself
  unmasked_fold,        ///< a fold takes what lies behind its last element as well
  wrong_padding,        ///< a fold takes 0 for what is not there
  other_order,          ///< a fold adds up the tiles of a chunk each by itself, then their sums
  missing_barrier,      ///< CUDA: an exchange through shared memory does not wait until the one before was read
};

inline std::atomic<Fault> planted_fault{Fault::none};

inline bool planted(Fault f) { return planted_fault.load(std::memory_order_relaxed) == f; }

}  // namespace sinter::graph
