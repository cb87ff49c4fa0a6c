// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sinter::device::cpu {

/// Runs body(context, begin, end) over disjoint ranges that cover [0, n), on the pool's threads and the calling one;
/// returns when all is done. No range but the last of a slice is shorter than `grain`.
///
/// [0, n) is cut into one slice a thread, always the same one for the same thread, so that consecutive kernels find
/// their data in that core's cache. A slice is consumed in chunks, and who has finished helps the others: a worker that
/// still sleeps or was descheduled delays nobody.
///
/// Any number of threads may call at once. A call from inside a body runs on the calling thread. The first exception a
/// body throws stops the handing out of ranges and is rethrown here. Bodies run in IEEE rounding with subnormals.
using Body = void (*)(void* context, int64_t begin, int64_t end);
void parallel_for(int64_t n, int64_t grain, Body body, void* context);

/// Threads used by parallel_for, the caller included.
int thread_count();
/// Sets it from the next parallel_for on; n < 1 means the default: SINTER_NUM_THREADS or the processors we may use.
void set_thread_count(int n);

}  // namespace sinter::device::cpu
