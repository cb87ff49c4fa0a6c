// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/error.h>
#include <sinter/stream.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/module.h"
#include "runtime/device/cpu/thread_pool.h"
#include "runtime/device/hooks.h"

namespace sinter::device {
namespace {

Backend& cpu_backend() { return backend(Device::cpu()); }

/// out[i] += i for program i; slots: out.
void add_index(const uint64_t* slots, int64_t begin, int64_t end) {
  auto* out = reinterpret_cast<int64_t*>(slots[0]);
  for (int64_t i = begin; i < end; ++i) out[i] += i;
}

std::vector<int64_t> indices(size_t n, int64_t times) {
  std::vector<int64_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = times * static_cast<int64_t>(i);
  return v;
}

TEST(CpuBackend, KnowsTheMachine) {
  const Properties& p = cpu_backend().properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_GE(p.multiprocessors, 1);
  EXPECT_GT(p.memory_bytes, size_t{1} << 28);
  EXPECT_GE(p.vector_bits, 128);
  EXPECT_TRUE(available(Device::cpu()));
  EXPECT_THROW(backend(Device{DeviceKind::cpu, 1}), DeviceError);
  EXPECT_THROW(backend(Device{DeviceKind::cpu, -1}), DeviceError);
}

TEST(CpuBackend, MemoryIsAlignedAndComesBack) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{100}, size_t{5} << 20}) {
    auto* p = static_cast<char*>(cpu_backend().allocate(bytes, nullptr));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % (bytes > size_t{2} << 20 ? size_t{2} << 20 : 64), 0u);
    std::memset(p, 1, bytes);
    cpu_backend().release(p, bytes, nullptr);
    EXPECT_EQ(cpu_backend().allocate(bytes, nullptr), p);
    cpu_backend().release(p, bytes, nullptr);
  }
  EXPECT_THROW(cpu_backend().allocate(size_t{1} << 46, nullptr), DeviceError);
}

TEST(CpuBackend, LaunchRunsEveryProgramOnce) {
  const auto module = cpu::make_module({{"add_index", add_index}});
  Function* f = module->function("add_index");
  EXPECT_THROW(module->function("other"), CompileError);
  cpu::set_thread_count(3);
  for (const int64_t n : {0, 1, 2, 1000, 300'000, 17})  // the cost learnt from one is used for the next
    for (int round = 1; round <= 3; ++round) {
      std::vector<int64_t> out(static_cast<size_t>(n), 0);
      const uint64_t slots[] = {reinterpret_cast<uint64_t>(out.data())};
      cpu_backend().launch(*f, {.grid = n}, slots, 1, nullptr);
      ASSERT_EQ(out, indices(out.size(), 1)) << n;
    }
  cpu::set_thread_count(0);
}

/// Sets this thread's bit in a slot.
void quick(const uint64_t* slots, int64_t, int64_t) {
  static std::atomic<int> threads{0};
  thread_local const int self = threads.fetch_add(1);
  reinterpret_cast<std::atomic<uint64_t>*>(slots[0])->fetch_or(uint64_t{1} << self % 64);
}

/// The same, at 200 us a program.
void slow(const uint64_t* slots, int64_t begin, int64_t end) {
  quick(slots, begin, end);
  for (int64_t i = begin; i < end; ++i) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

TEST(CpuBackend, LongLaunchesGetHelpAndShortOnesDoNot) {
  cpu::set_thread_count(2);
  const auto module = cpu::make_module({{"slow", slow}, {"quick", quick}});
  std::atomic<uint64_t> took_part{0};
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(&took_part)};
  cpu_backend().launch(*module->function("slow"), {.grid = 50}, slots, 1, nullptr);
  EXPECT_EQ(std::popcount(took_part.load()), 2);
  // A short kernel stays on its caller, from the first launch on.
  for (int round = 0; round < 20; ++round) {
    took_part = 0;
    cpu_backend().launch(*module->function("quick"), {.grid = 100}, slots, 1, nullptr);
    EXPECT_EQ(std::popcount(took_part.load()), 1);
  }
  cpu::set_thread_count(0);
}

TEST(CpuBackend, CapturedWorkRunsWhenTheGraphIsLaunched) {
  const Stream stream = Stream::create(Device::cpu());
  const auto module = cpu::make_module({{"add_index", add_index}});
  Backend& b = cpu_backend();
  EXPECT_THROW(b.begin_capture(nullptr), DeviceError);
  b.begin_capture(stream.native());
  EXPECT_TRUE(b.is_capturing(stream.native()));
  EXPECT_THROW(b.begin_capture(stream.native()), DeviceError);
  constexpr size_t n = 100, bytes = n * sizeof(int64_t);
  auto* memory = static_cast<int64_t*>(b.allocate(bytes, stream.native()));
  std::vector<int64_t> result(n, -1);
  {
    uint64_t slots[] = {reinterpret_cast<uint64_t>(memory)};
    b.fill_zero(memory, bytes, stream.native());
    b.launch(*module->function("add_index"), {.grid = n}, slots, 1, stream.native());
    b.launch(*module->function("add_index"), {.grid = n}, slots, 1, stream.native());
    slots[0] = 0;  // the graph has its own copy
    b.copy_to_host(result.data(), memory, bytes, stream.native());
  }
  EXPECT_EQ(result[5], -1);
  const GraphHandle graph = b.end_capture(stream.native());
  EXPECT_FALSE(b.is_capturing(stream.native()));
  b.release(memory, bytes, stream.native());
  void* other = b.allocate(bytes, stream.native());
  EXPECT_NE(other, memory) << "the graph still writes there";
  for (int replay = 0; replay < 2; ++replay) {
    result.assign(n, -1);
    b.launch_graph(graph, nullptr);
    EXPECT_EQ(result, indices(n, 2));
  }
  b.release(other, bytes, stream.native());
  b.destroy_graph(graph);
  EXPECT_THROW(b.end_capture(stream.native()), DeviceError);
}

TEST(CpuStreams, EventsMeasureTime) {
  const Stream stream(Device::cpu());
  Event begin(Device::cpu()), end(Device::cpu());
  EXPECT_THROW((void)begin.elapsed_ms(end), DeviceError);
  begin.record(stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  end.record(stream);
  end.synchronize();
  EXPECT_GE(begin.elapsed_ms(end), 2.9);
  EXPECT_LT(begin.elapsed_ms(end), 3000);
  stream.wait(end);
  EXPECT_THROW(begin.record(Stream::from_native(nullptr, Device::cuda(0))), UserError);
}

std::vector<std::string> seen;

TEST(CpuStreams, AGuardChangesTheCurrentStreamOfItsThread) {
  hooks() = {.before_stream_change = [](Device d) { seen.push_back("change " + d.text()); },
             .before_synchronize = [](Device) { seen.push_back("before"); },
             .after_synchronize =
                 [](Device, std::optional<void*> stream) { seen.push_back(stream ? "after a stream" : "after all"); }};
  const Stream stream = Stream::create(Device::cpu());
  EXPECT_EQ(device::current_stream(Device::cpu()), nullptr);
  {
    const StreamGuard guard(stream);
    EXPECT_EQ(device::current_stream(Device::cpu()), stream.native());
    {
      const StreamGuard same(stream);  // no change, nothing ends
      EXPECT_EQ(seen.size(), 1u);
    }
    std::thread([] { EXPECT_EQ(device::current_stream(Device::cpu()), nullptr); }).join();
  }
  EXPECT_EQ(device::current_stream(Device::cpu()), nullptr);
  sinter::synchronize(Device::cpu());
  stream.synchronize();
  EXPECT_EQ(seen,
            (std::vector<std::string>{"change cpu", "change cpu", "before", "after all", "before", "after a stream"}));
  hooks().before_stream_change = [](Device) { throw UserError("recorded work failed"); };
  EXPECT_THROW(StreamGuard{stream}, UserError);
  EXPECT_EQ(device::current_stream(Device::cpu()), nullptr);
  hooks() = {};
}

TEST(CpuStreams, AHandleIsNeverGivenToSomethingElse) {
  void* first = nullptr;
  {
    const Stream stream = Stream::create(Device::cpu());
    first = stream.native();
    const Stream copy = stream;
    EXPECT_NE(Stream::create(Device::cpu()).native(), first);
  }
  bool reused = false;
  for (int i = 0; i < 3 && !reused; ++i) reused = Stream::create(Device::cpu()).native() == first;
  EXPECT_TRUE(reused) << "streams are kept for the next who wants one";
}

TEST(CpuMemory, IsReportedPublicly) {
  const MemoryUse before = memory_use(Device::cpu());
  void* p = cpu_backend().allocate(1 << 20, nullptr);
  EXPECT_EQ(memory_use(Device::cpu()).in_use, before.in_use + (1 << 20));
  cpu_backend().release(p, 1 << 20, nullptr);
  empty_cache(Device::cpu());
  EXPECT_EQ(memory_use(Device::cpu()).reserved, memory_use(Device::cpu()).in_use);
}

}  // namespace
}  // namespace sinter::device
