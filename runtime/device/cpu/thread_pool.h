// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sinter::device::cpu {

/// Runs body(context, begin, end) over a partition of [0, n) on the pool's threads and the calling one; returns when all
/// is done. Parts are contiguous and in order of thread. A call from inside a part, or while another thread uses the
/// pool, runs on the calling thread alone. Workers keep IEEE rounding and subnormals whatever the caller's mode is.
using Body = void (*)(void* context, int64_t begin, int64_t end);
void parallel_for(int64_t n, int64_t grain, Body body, void* context);

/// Threads used by parallel_for, the caller included.
int thread_count();
/// Sets it; n < 1 means the hardware's.
void set_thread_count(int n);

}  // namespace sinter::device::cpu
