// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/machine.h"

#include <unistd.h>

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

}  // namespace

Properties machine() {
  Properties p;
  p.name = model_name();
  p.multiprocessors = static_cast<int>(std::thread::hardware_concurrency());
  p.memory_bytes = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    p.architecture = "x86-64-v4";
    p.vector_bits = 512;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
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
