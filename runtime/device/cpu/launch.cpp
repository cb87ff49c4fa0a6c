// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/launch.h"

#include <algorithm>
#include <chrono>

#include "runtime/device/cpu/float_mode.h"
#include "runtime/device/cpu/thread_pool.h"

namespace sinter::device::cpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr float alone_ns = 20'000;  ///< work below this stays on one thread
constexpr float grain_ns = 4'000;   ///< the least work handed out at a time

struct Call {
  CpuKernel kernel;
  const uint64_t* slots;
  int64_t first;
};

float ns_since(Clock::time_point start) {
  return std::chrono::duration<float, std::nano>(Clock::now() - start).count();
}

/// Programs that take about this long; at least 1, at most n.
int64_t programs_in(float ns, float ns_per_program, int64_t n) {
  const float programs = ns / std::max(ns_per_program, 1e-3f);
  return programs < static_cast<float>(n) ? std::max<int64_t>(1, static_cast<int64_t>(programs)) : n;
}

/// Runs programs from 0 on until all are done or `alone_ns` are over; returns how many, and what each took.
int64_t start_alone(CpuKernel kernel, const uint64_t* slots, int64_t n, float& ns_per_program) {
  const FloatMode mode;
  const Clock::time_point start = Clock::now();
  int64_t done = 0, count = ns_per_program < 0 ? 1 : n;
  float estimate = 0, spent = 0;
  do {
    kernel(slots, done, done + count);
    done += count;
    spent = ns_since(start);
    estimate = spent / static_cast<float>(done);
    // The first programs also pay for cold caches and fresh pages, so the estimate is trusted in steps.
    count = std::min(programs_in(alone_ns - spent, estimate, n - done), done * 8);
  } while (done < n && spent < alone_ns);
  ns_per_program = estimate;
  return done;
}

}  // namespace

void launch(CpuKernel kernel, const uint64_t* slots, int64_t n, Cost& cost) {
  if (n <= 0) return;
  if (n == 1 || thread_count() == 1) {
    const FloatMode mode;
    return kernel(slots, 0, n);
  }
  float ns_per_program = cost.ns_per_program.load(std::memory_order_relaxed);
  Call call{kernel, slots, 0};
  if (ns_per_program < 0 || ns_per_program * static_cast<float>(n) < alone_ns)
    call.first = start_alone(kernel, slots, n, ns_per_program);
  if (const int64_t rest = n - call.first; rest > 0) {
    const Clock::time_point start = Clock::now();
    parallel_for(
        rest, programs_in(grain_ns, ns_per_program, rest),
        [](void* context, int64_t begin, int64_t end) {
          const Call& c = *static_cast<const Call*>(context);
          c.kernel(c.slots, c.first + begin, c.first + end);
        },
        &call);
    // All threads were busy about this long; where memory is the limit that is more than one thread would need.
    ns_per_program = ns_since(start) * static_cast<float>(thread_count()) / static_cast<float>(rest);
  }
  cost.ns_per_program.store(ns_per_program, std::memory_order_relaxed);
}

}  // namespace sinter::device::cpu
