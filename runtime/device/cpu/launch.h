// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/device/backend.h"

namespace sinter::device::cpu {

/// What a kernel has been seen to cost. Decides only where work runs, never what it gives.
struct Cost {
  std::atomic<float> ns_per_program{-1};  ///< negative: not seen yet
};

/// Runs programs 0 .. n-1 of a kernel. Below about 20 us of work on the calling thread alone: waking others costs more.
/// How much work it is, is known from earlier launches; the first one starts alone and calls for help once it has taken
/// that long.
void launch(CpuKernel kernel, const uint64_t* slots, int64_t n, Cost& cost);

}  // namespace sinter::device::cpu
