// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

namespace sinter::device::cpu {
namespace {

std::string model_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

int affinity() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// Whole processors that the control group's quota amounts to, rounded up; `otherwise` without one.
int quota(int otherwise) {
  std::ifstream unified("/sys/fs/cgroup/cpu.max");  // version 2: "200000 100000" or "max 100000"
  double time = 0, period = 0;
  if (!(unified >> time >> period)) {
    std::ifstream old_time("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), old_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(old_time >> time) || !(old_period >> period)) return otherwise;
  }
  return time > 0 && period > 0 ? static_cast<int>(std::ceil(time / period)) : otherwise;
}

size_t positive(long value) { return value > 0 ? static_cast<size_t>(value) : 0; }

}  // namespace

int usable_processors() {
  static const int count = [] {
    const int allowed = affinity();
    return std::max(1, std::min(allowed, quota(allowed)));
  }();
  return count;
}

Properties machine() {
  Properties p;
  p.name = model_name();
  p.multiprocessors = usable_processors();
  p.memory_bytes = positive(sysconf(_SC_PHYS_PAGES)) * positive(sysconf(_SC_PAGE_SIZE));
#if defined(_SC_LEVEL2_CACHE_SIZE)
  p.l2_bytes = positive(sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    p.architecture = "x86-64-v4";
    p.vector_bits = 512;
  } else if (v3) {
    p.architecture = "x86-64-v3";
    p.vector_bits = 256;
  } else {
    p.architecture = "x86-64";
  }
#elif defined(__aarch64__)
  p.architecture = "aarch64";
#else
  p.architecture = "unknown";
#endif
  return p;
}

}  // namespace sinter::device::cpu
