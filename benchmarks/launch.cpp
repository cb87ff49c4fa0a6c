// SPDX-License-Identifier: Apache-2.0
// What a launch costs on the host: the CPU's path from one program to many, and, where there is a GPU, ours against the
// driver's own. Medians of rounds that take turns.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/module.h"
#include "runtime/device/cpu/thread_pool.h"
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/driver.h"
#include "runtime/device/cuda/module.h"
#include "runtime/device/cuda/nvrtc.h"
#endif

namespace {

using namespace sinter;
using namespace sinter::device;
using Clock = std::chrono::steady_clock;

struct Case {
  std::string name;
  int repeats;
  std::function<void()> run;
  std::vector<double> ns = {};
};

void measure(std::vector<Case> cases, const std::function<void()>& between) {
  for (int round = 0; round < 31; ++round)
    for (Case& c : cases) {
      between();
      const auto start = Clock::now();
      for (int i = 0; i < c.repeats; ++i) c.run();
      c.ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / c.repeats);
    }
  for (Case& c : cases) {
    std::ranges::sort(c.ns);
    fmt::print("{:<58} {:>10.0f} ns   p10 {:>8.0f}   p90 {:>8.0f}\n", c.name, c.ns[15], c.ns[3], c.ns[27]);
  }
}

/// A program is a block of 1024 floats: y = x * 2. Compiled once, so that every case runs the same code.
[[gnu::noipa]] void scale(const uint64_t* slots, int64_t begin, int64_t end) {
  auto* y = reinterpret_cast<float*>(slots[0]);
  const auto* x = reinterpret_cast<const float*>(slots[1]);
  for (int64_t i = begin * 1024; i < end * 1024; ++i) y[i] = x[i] * 2;
}

void nothing(const uint64_t*, int64_t, int64_t) {}

void cpu_launches() {
  Backend& b = backend(Device::cpu());
  const auto module = cpu::make_module({{"scale", scale}, {"nothing", nothing}});
  constexpr int64_t most = 1 << 14;
  std::vector<float> x(most * 1024, 1.0f), y(most * 1024, 0.0f);
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(y.data()), reinterpret_cast<uint64_t>(x.data())};
  std::vector<Case> cases;
  Function* empty = module->function("nothing");
  cases.push_back(
      {"cpu launch, 1 program of nothing", 1000, [&] { b.launch(*empty, {.grid = 1}, slots, 2, nullptr); }});
  cases.push_back(
      {"cpu launch, 64 programs of nothing", 1000, [&] { b.launch(*empty, {.grid = 64}, slots, 2, nullptr); }});
  cases.push_back({"cpu parallel_for, 64 ranges of nothing", 200,
                   [] { cpu::parallel_for(64, 1, [](void*, int64_t, int64_t) {}, nullptr); }});
  std::vector<std::shared_ptr<Module>> own;  // a kernel learns its cost, so each size gets its own
  for (int64_t n = 1; n <= most; n *= 8) {
    const int repeats = static_cast<int>(std::clamp<int64_t>(20'000 / n, 1, 1000));
    cases.push_back({fmt::format("cpu plain loop, {} x 1024 floats", n), repeats, [&slots, n] { scale(slots, 0, n); }});
    own.push_back(cpu::make_module({{"scale", scale}}));
    Function* f = own.back()->function("scale");
    cases.push_back({fmt::format("cpu launch,     {} x 1024 floats, {} threads", n, cpu::thread_count()), repeats,
                     [&b, &slots, f, n] { b.launch(*f, {.grid = n}, slots, 2, nullptr); }});
  }
  cases.push_back(
      {"cpu allocate + release, 4 KiB", 1000, [&] { b.release(b.allocate(4096, nullptr), 4096, nullptr); }});
  constexpr size_t large = size_t{64} << 20;
  cases.push_back({"cpu 64 MiB: cached, written", 1, [&] {
                     void* p = b.allocate(large, nullptr);
                     std::memset(p, 1, large);
                     b.release(p, large, nullptr);
                   }});
  cases.push_back({"cpu 64 MiB: malloc, written, free", 1, [&] {
                     void* p = std::malloc(large);
                     std::memset(p, 1, large);
                     asm volatile("" : : "r"(p) : "memory");
                     std::free(p);
                   }});
  measure(std::move(cases), [] {});
}

#ifdef SINTER_WITH_CUDA
void cuda_launches() {
  if (!available(Device::cuda(0))) {
    fmt::print("no GPU: the CUDA part is left out\n");
    return;
  }
  Backend& b = backend(Device::cuda(0));
  constexpr const char* text = "extern \"C\" __global__ void nothing(float*, float*, unsigned long long) {}";
  const auto module = b.load(cuda::compile({text, "nothing", b.properties().architecture, cuda::strict_options}).cubin);
  Function* f = module->function("nothing");
  const cuda::Driver& driver = *cuda::driver().driver;
  const CUfunction raw = static_cast<cuda::CudaFunction*>(f)->handle();
  uint64_t slots[] = {0, 0, 0};
  size_t bytes = sizeof slots;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, slots, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  StreamHandle s = b.create_stream();
  b.begin_capture(s);
  b.launch(*f, {.grid = 1, .threads = 32}, slots, 3, s);
  const GraphHandle graph = b.end_capture(s);
  std::vector<Case> cases;
  cases.push_back({"cuLaunchKernel", 200,
                   [&] { driver.LaunchKernel(raw, 1, 1, 1, 32, 1, 1, 0, static_cast<CUstream>(s), nullptr, extra); }});
  cases.push_back({"Backend::launch", 200, [&] { b.launch(*f, {.grid = 1, .threads = 32}, slots, 3, s); }});
  cases.push_back({"Backend::launch_graph of one kernel", 200, [&] { b.launch_graph(graph, s); }});
  cases.push_back({"cuda allocate + release, 4 KiB, default stream", 1000,
                   [&] { b.release(b.allocate(4096, nullptr), 4096, nullptr); }});
  cases.push_back(
      {"cuda allocate + release, 4 KiB, own stream", 1000, [&] { b.release(b.allocate(4096, s), 4096, s); }});
  measure(std::move(cases), [&] { b.synchronize(s); });
  b.destroy_graph(graph);
  b.destroy_stream(s);
}
#endif

}  // namespace

int main() {
  cpu_launches();
#ifdef SINTER_WITH_CUDA
  cuda_launches();
#endif
}
