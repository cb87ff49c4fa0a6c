// SPDX-License-Identifier: Apache-2.0
// The CUDA device on a real GPU. Everything here is expected to run: a machine without a GPU fails these tests.
#include <gtest/gtest.h>
#include <sinter/error.h>
#include <sinter/stream.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cubin.h"
#include "runtime/device/cuda/nvrtc.h"

namespace sinter::device {
namespace {

constexpr const char* text = R"(
extern "C" __global__ void add_index(float* y, float value, unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] + value + (float)i;
}
extern "C" __global__ void sum_dynamic(float* y, const float* x, unsigned long long n) {
  extern __shared__ float part[];
  for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x) part[i] = x[i];
  __syncthreads();
  if (threadIdx.x == 0) { float s = 0; for (unsigned long long i = 0; i < n; ++i) s += part[i]; y[0] = s; }
}
extern "C" __global__ void reversed(float* y, const float* x) {
  __shared__ float part[256];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[255 - threadIdx.x];
}
extern "C" __global__ void nothing() {}
extern "C" __global__ void wait_clocks(unsigned long long clocks) {
  long long begin = clock64();
  while (clock64() - begin < (long long)clocks) {}
}
)";

uint64_t slot(const void* p) { return reinterpret_cast<uint64_t>(p); }
uint64_t slot(float v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}

class Gpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    gpu = &backend(Device::cuda(0));
    image = new std::vector(
        cuda::compile({text, "device_test", gpu->properties().architecture, cuda::strict_options}).cubin);
    module = new std::shared_ptr(gpu->load(*image));
  }
  static Function& function(const char* name) { return *(*module)->function(name); }

  /// y[i] += value + i for n floats.
  static void add_index(void* y, float value, size_t n, StreamHandle stream) {
    const uint64_t slots[] = {slot(y), slot(value), n};
    gpu->launch(function("add_index"), {.grid = static_cast<int64_t>((n + 255) / 256), .threads = 256}, slots, 3,
                stream);
  }
  /// Keeps a stream busy for about this long.
  static void occupy(double ms, StreamHandle stream) {
    const uint64_t slots[] = {static_cast<uint64_t>(ms * 1.5e6)};
    gpu->launch(function("wait_clocks"), {.grid = 1, .threads = 1}, slots, 1, stream);
  }
  static std::vector<float> read(const void* y, size_t n, StreamHandle stream) {
    std::vector<float> values(n);
    gpu->copy_to_host(values.data(), y, n * sizeof(float), stream);
    gpu->synchronize(stream);
    return values;
  }

  static inline Backend* gpu = nullptr;
  static inline std::vector<std::byte>* image = nullptr;
  static inline std::shared_ptr<Module>* module = nullptr;
};

TEST_F(Gpu, KnowsTheDevice) {
  const Properties& p = gpu->properties();
  RecordProperty("device_name", p.name);
  EXPECT_FALSE(p.name.empty());
  EXPECT_EQ(p.architecture.substr(0, 3), "sm_");
  EXPECT_GT(p.multiprocessors, 0);
  EXPECT_EQ(p.max_threads_per_block, 1024);
  EXPECT_GE(p.shared_bytes_per_block, size_t{48} << 10);
  EXPECT_GT(p.l2_bytes, size_t{1} << 20);
  EXPECT_GT(p.memory_bytes, size_t{1} << 30);
  EXPECT_EQ(Device::best(), Device::cuda(0));
  EXPECT_THROW(backend(Device::cuda(63)), DeviceError);
}

TEST_F(Gpu, CopiesThereAndBack) {
  std::vector<float> in(100'003);
  std::iota(in.begin(), in.end(), 0.0f);
  const size_t bytes = in.size() * sizeof(float);
  void *a = gpu->allocate(bytes, nullptr), *b = gpu->allocate(bytes, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
  gpu->copy_from_host(a, in.data(), bytes, nullptr);
  gpu->copy(b, a, bytes, nullptr);
  EXPECT_EQ(read(b, in.size(), nullptr), in);
  gpu->fill_zero(b, bytes, nullptr);
  EXPECT_EQ(read(b, in.size(), nullptr), std::vector<float>(in.size(), 0.0f));
  gpu->release(a, bytes, nullptr);
  gpu->release(b, bytes, nullptr);
}

TEST_F(Gpu, LaunchesWithSlots) {
  constexpr size_t n = 1'000'001;
  void* y = gpu->allocate(n * sizeof(float), nullptr);
  gpu->fill_zero(y, n * sizeof(float), nullptr);
  add_index(y, 0.5f, n, nullptr);
  gpu->launch(function("add_index"), {.grid = 0, .threads = 256}, nullptr, 0, nullptr);
  const std::vector<float> result = read(y, n, nullptr);
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], 0.5f + static_cast<float>(i)) << i;
  gpu->release(y, n * sizeof(float), nullptr);
}

TEST_F(Gpu, AllDynamicSharedMemoryIsAllowed) {
  const size_t n = gpu->properties().shared_bytes_per_block / sizeof(float);
  std::vector<float> ones(n, 1.0f);
  void *x = gpu->allocate(n * sizeof(float), nullptr), *y = gpu->allocate(sizeof(float), nullptr);
  gpu->copy_from_host(x, ones.data(), n * sizeof(float), nullptr);
  const uint64_t slots[] = {slot(y), slot(x), n};
  gpu->launch(function("sum_dynamic"), {.grid = 1, .threads = 256, .shared_bytes = static_cast<int>(n * sizeof(float))},
              slots, 3, nullptr);
  EXPECT_EQ(read(y, 1, nullptr)[0], static_cast<float>(n));
  gpu->release(x, n * sizeof(float), nullptr);
  gpu->release(y, sizeof(float), nullptr);
}

TEST_F(Gpu, ResourcesInTheFileAreTheDrivers) {
  for (const char* name : {"add_index", "sum_dynamic", "reversed", "nothing"}) {
    const FunctionInfo file = kernel_resources(*image, name), driver = function(name).info();
    EXPECT_EQ(file.registers, driver.registers) << name;
    EXPECT_EQ(file.local_bytes, driver.local_bytes) << name;
    EXPECT_EQ(file.static_shared_bytes, driver.static_shared_bytes) << name;
  }
}

TEST_F(Gpu, RefusesForeignImages) {
  const char* other = gpu->properties().architecture == "sm_80" ? "sm_90a" : "sm_80";
  const auto foreign = cuda::compile({text, "device_test", other, cuda::strict_options}).cubin;
  // A cubin of sm_80 runs on 8.x only.
  if (gpu->properties().architecture.substr(0, 4) != "sm_8") {
    EXPECT_THROW(gpu->load(foreign), CompileError);
  }
  std::vector<std::byte> cut(image->begin(), image->begin() + static_cast<ptrdiff_t>(image->size() / 2));
  EXPECT_THROW(gpu->load(cut), CompileError);
  EXPECT_THROW((*module)->function("absent"), CompileError);
}

TEST_F(Gpu, EventsOrderStreamsAndMeasure) {
  const Stream first = Stream::create(), second = Stream::create();
  Event begin, end;
  constexpr size_t n = 1024;
  void* y = gpu->allocate(n * sizeof(float), first.native());
  gpu->fill_zero(y, n * sizeof(float), first.native());
  begin.record(first);
  occupy(20, first.native());
  add_index(y, 1.0f, n, first.native());
  end.record(first);
  second.wait(end);
  add_index(y, 2.0f, n, second.native());  // without the wait it would come 20 ms too early
  const std::vector<float> result = read(y, n, second.native());
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], (1.0f + static_cast<float>(i)) + (2.0f + static_cast<float>(i)));
  end.synchronize();
  EXPECT_GT(begin.elapsed_ms(end), 5);
  EXPECT_LT(begin.elapsed_ms(end), 500);
  gpu->record_use(y, second.native());
  gpu->release(y, n * sizeof(float), first.native());
}

TEST_F(Gpu, TheSteadyStateMakesNoDriverAllocation) {
  const auto work = [] {
    void* a = gpu->allocate(3 << 20, nullptr);
    void* b = gpu->allocate(5000, nullptr);
    add_index(b, 1.0f, 1000, nullptr);
    gpu->release(a, 3 << 20, nullptr);
    gpu->release(b, 5000, nullptr);
  };
  work();
  const int64_t before = gpu->memory_stats().driver_allocations;
  for (int i = 0; i < 1000; ++i) work();
  EXPECT_EQ(gpu->memory_stats().driver_allocations, before);
}

TEST_F(Gpu, MemoryIsNotReusedByAnotherStreamWhileInUse) {
  const Stream first = Stream::create(), second = Stream::create();
  constexpr size_t n = 1 << 20, bytes = n * sizeof(float);
  for (int round = 0; round < 5; ++round) {
    void* a = gpu->allocate(bytes, first.native());
    gpu->fill_zero(a, bytes, first.native());
    occupy(5, first.native());
    add_index(a, 1.0f, n, first.native());
    void* result = gpu->allocate(bytes, first.native());
    gpu->copy(result, a, bytes, first.native());
    gpu->release(a, bytes, first.native());
    void* b = gpu->allocate(bytes, second.native());  // must not be a: the stream is busy with it
    gpu->fill_zero(b, bytes, second.native());
    gpu->synchronize(second.native());
    EXPECT_EQ(read(result, n, first.native())[n - 1], 1.0f + static_cast<float>(n - 1));
    gpu->release(b, bytes, second.native());
    gpu->release(result, bytes, first.native());
  }
}

TEST_F(Gpu, MemoryUsedByAnotherStreamWaitsForIt) {
  const Stream first = Stream::create(), second = Stream::create();
  constexpr size_t n = 1 << 20, bytes = n * sizeof(float);
  void *a = gpu->allocate(bytes, first.native()), *result = gpu->allocate(bytes, second.native());
  gpu->fill_zero(a, bytes, first.native());
  gpu->synchronize(first.native());
  occupy(20, second.native());
  gpu->copy(result, a, bytes, second.native());
  gpu->record_use(a, second.native());
  gpu->release(a, bytes, first.native());
  void* b = gpu->allocate(bytes, first.native());
  gpu->fill_zero(b, bytes, first.native());
  add_index(b, 7.0f, n, first.native());
  EXPECT_EQ(read(result, n, second.native()), std::vector<float>(n, 0.0f));
  gpu->synchronize(first.native());
  gpu->release(b, bytes, first.native());
  gpu->release(result, bytes, second.native());
}

TEST_F(Gpu, GraphsReplayAndKeepTheirMemory) {
  const Stream stream = Stream::create();
  constexpr size_t n = 4096, bytes = n * sizeof(float);
  EXPECT_THROW(gpu->begin_capture(nullptr), DeviceError);
  void* y = gpu->allocate(bytes, stream.native());
  gpu->begin_capture(stream.native());
  EXPECT_TRUE(gpu->is_capturing(stream.native()));
  void* temporary = gpu->allocate(bytes, stream.native());
  gpu->fill_zero(temporary, bytes, stream.native());
  add_index(temporary, 1.0f, n, stream.native());
  gpu->copy(y, temporary, bytes, stream.native());
  gpu->release(temporary, bytes, stream.native());
  const GraphHandle graph = gpu->end_capture(stream.native());
  EXPECT_FALSE(gpu->is_capturing(stream.native()));
  void* other = gpu->allocate(bytes, stream.native());
  EXPECT_NE(other, temporary);
  for (int replay = 0; replay < 3; ++replay) {
    gpu->fill_zero(y, bytes, stream.native());
    gpu->launch_graph(graph, stream.native());
    EXPECT_EQ(read(y, n, stream.native())[n - 1], static_cast<float>(n));
  }
  gpu->destroy_graph(graph);
  gpu->synchronize_all();
  gpu->release(other, bytes, stream.native());
  gpu->release(y, bytes, stream.native());
  gpu->empty_cache();
  EXPECT_EQ(gpu->memory_stats().reserved, gpu->memory_stats().in_use) << "the graph's memory went with it";
}

TEST_F(Gpu, NewMemoryAndModulesDuringACapture) {
  const Stream stream = Stream::create();
  gpu->empty_cache();
  gpu->begin_capture(stream.native());
  void* inside = gpu->allocate(size_t{64} << 20, stream.native());
  void* outside = gpu->allocate(size_t{32} << 20, nullptr);
  const auto loaded = gpu->load(*image);
  const uint64_t slots[] = {slot(inside), slot(1.0f), 100};
  gpu->launch(*loaded->function("add_index"), {.grid = 1, .threads = 128}, slots, 3, stream.native());
  const GraphHandle graph = gpu->end_capture(stream.native());
  gpu->launch_graph(graph, stream.native());
  gpu->synchronize(stream.native());
  gpu->destroy_graph(graph);
  gpu->release(inside, size_t{64} << 20, stream.native());
  gpu->release(outside, size_t{32} << 20, nullptr);
}

TEST_F(Gpu, RecoversFromOutOfMemory) {
  gpu->empty_cache();
  const size_t total = gpu->properties().memory_bytes, chunk = total / 16;
  std::vector<void*> held;
  try {
    for (;;) held.push_back(gpu->allocate(chunk, nullptr));
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("is out of memory"), std::string::npos) << what;
    EXPECT_NE(what.find("are free on the device"), std::string::npos) << what;
  }
  EXPECT_GE(held.size(), 4u);
  for (void* p : held) gpu->release(p, chunk, nullptr);
  // All is cached in pieces; one large block fits only if they are given back.
  const size_t large = chunk * (held.size() - 1);
  void* p = gpu->allocate(large, nullptr);
  gpu->fill_zero(p, large, nullptr);
  gpu->synchronize(nullptr);
  gpu->release(p, large, nullptr);
  gpu->empty_cache();
}

TEST_F(Gpu, ThreadsWithoutAContextMayCall) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      const Stream stream = Stream::create();
      const StreamGuard guard(stream);
      for (int i = 0; i < 50; ++i) {
        void* y = gpu->allocate(4000, stream.native());
        gpu->fill_zero(y, 4000, stream.native());
        add_index(y, static_cast<float>(i), 1000, stream.native());
        EXPECT_EQ(read(y, 1000, stream.native())[999], static_cast<float>(i + 999));
        gpu->release(y, 4000, stream.native());
      }
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace sinter::device
