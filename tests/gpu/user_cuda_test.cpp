// SPDX-License-Identifier: Apache-2.0
// Compiled functions among a program's own CUDA work: its streams, its memory, its kernels before and after, its
// captures. The program calls the driver itself; what Sinter calls is counted.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/nvrtc.h"
#include "tests/gpu/counting_driver.h"

namespace sinter {
namespace {

using device::cuda::Driver;

constexpr int n = 1 << 16;
constexpr size_t bytes = n * sizeof(float);

constexpr const char* text = R"(
extern "C" __global__ void ramp(float* x, int n, float step, long long clocks) {
  long long begin = clock64();
  while (clock64() - begin < clocks) {}
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = step * (float)i;
}
extern "C" __global__ void add(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
)";

/// A program with a stream, two buffers and two kernels of its own.
class Program {
 public:
  Program() {
    (void)device::backend(Device::cuda(0)).properties();
    ok(cuda().DeviceGet(&device_, 0));
    ok(cuda().DevicePrimaryCtxRetain(&context_, device_));
    ok(cuda().CtxSetCurrent(context_));
    const auto image = device::cuda::compile(
        {text, "user", device::backend(Device::cuda(0)).properties().architecture, device::cuda::strict_options});
    ok(cuda().ModuleLoadData(&module_, image.cubin.data()));
    ok(cuda().ModuleGetFunction(&ramp_, module_, "ramp"));
    ok(cuda().ModuleGetFunction(&add_, module_, "add"));
    ok(cuda().StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ok(cuda().MemAlloc(&x, bytes));
    ok(cuda().MemAlloc(&total, bytes));
    ok(cuda().MemsetD8Async(total, 0, bytes, stream));
    ok(cuda().StreamSynchronize(stream));
  }
  ~Program() {
    (void)cuda().StreamSynchronize(stream);
    empty_cache(Device::cuda(0));  // the stream lives on, as the driver table has no call to destroy it
    (void)cuda().MemFree(x);
    (void)cuda().MemFree(total);
    (void)cuda().ModuleUnload(module_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// x[i] = step * i, after some time.
  void write_ramp(float step, double ms = 0) {
    int count = n;
    auto clocks = static_cast<long long>(ms * 1.5e6);
    void* arguments[] = {&x, &count, &step, &clocks};
    launch(ramp_, arguments);
  }
  /// total[i] += y[i]
  void add_to_total(const Tensor& y) {
    int count = n;
    auto from = reinterpret_cast<CUdeviceptr>(y.data_ptr());
    void* arguments[] = {&total, &from, &count};
    launch(add_, arguments);
  }
  Tensor input() const { return from_blob(reinterpret_cast<void*>(x), {n}, f32, Device::cuda(0)); }
  Stream sinter_stream() const { return Stream::from_native(stream); }
  std::vector<float> totals() {
    std::vector<float> values(n);
    ok(cuda().MemcpyDtoHAsync(values.data(), total, bytes, stream));
    ok(cuda().StreamSynchronize(stream));
    return values;
  }
  /// Has everything on the stream run?
  bool idle() {
    CUevent event = nullptr;
    ok(cuda().EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    ok(cuda().EventRecord(event, stream));
    const bool done = cuda().EventQuery(event) == CUDA_SUCCESS;
    ok(cuda().EventDestroy(event));
    return done;
  }

  /// The driver as the program calls it: not counted.
  static const Driver& cuda() { return *device::cuda::driver().driver; }
  static void ok(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

  CUstream stream = nullptr;
  CUdeviceptr x = 0, total = 0;

 private:
  void launch(CUfunction f, void** arguments) {
    ok(cuda().LaunchKernel(f, n / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  }
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction ramp_ = nullptr, add_ = nullptr;
};

std::map<std::string, int64_t> without_questions(std::map<std::string, int64_t> calls) {
  calls.erase("CtxGetCurrent");
  calls.erase("StreamGetCaptureInfo");
  return calls;
}

TEST(UserCuda, KernelsBeforeAndAfterWithoutSynchronisation) {
  Program program;
  const StreamGuard guard(program.sinter_stream());
  const Tensor scale = from<float>({2});
  auto f = compile([&](Tensor x) {
    Tensor y = x * scale;
    graph_break();
    return y + 1;
  });
  for (int warm_up = 0; warm_up < 3; ++warm_up) (void)f(program.input());
  ASSERT_EQ(program.totals(), std::vector<float>(n, 0.0f));

  const auto before = device::cuda::driver_calls();
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    program.write_ramp(static_cast<float>(round), round == 0 ? 50 : 0);
    program.add_to_total(f(program.input()));
  }
  const bool waited = program.idle();
  const auto calls = without_questions(device::cuda::driver_calls_since(before));
  EXPECT_FALSE(waited) << "the host was held up";
  ASSERT_EQ(calls.size(), 1u) << testing::PrintToString(calls);
  EXPECT_GE(calls.at("LaunchKernel"), rounds);

  const std::vector<float> totals = program.totals();
  for (int i = 0; i < n; i += 97)
    ASSERT_EQ(totals[static_cast<size_t>(i)], 90.0f * static_cast<float>(i) + rounds) << i;
}

TEST(UserCuda, ThreadsWithStreamsOfTheirOwn) {
  constexpr int rounds = 20;
  auto f = compile([](Tensor x) { return x * 3 - 1; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Program program;
      const StreamGuard guard(program.sinter_stream());
      (void)f(program.input());
      for (int round = 0; round < rounds; ++round) {
        program.write_ramp(static_cast<float>(t + 1));
        program.add_to_total(f(program.input()));
      }
      const std::vector<float> totals = program.totals();
      for (int i = 0; i < n; i += 97)
        ASSERT_EQ(totals[static_cast<size_t>(i)],
                  rounds * (3.0f * static_cast<float>(t + 1) * static_cast<float>(i) - 1));
    });
  for (std::thread& t : threads) t.join();
}

TEST(UserCuda, AColdCallInsideTheUsersCapture) {
  Program program;
  const StreamGuard guard(program.sinter_stream());
  float factor = 2;
  auto f = compile([&](Tensor x) { return sum(reshape(x, {n, 1}) * from<float>({factor}), {.dims = {1}}); });
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  // The strictest mode: what might wait for the captured stream spoils the capture, on any thread.
  ASSERT_EQ(Program::cuda().StreamBeginCapture(program.stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  program.write_ramp(1);
  const Tensor y = f(program.input());
  EXPECT_THROW((void)item<float>(sum(y)), UserError) << "a value is needed, and the capture goes on";
  program.add_to_total(y);
  ASSERT_EQ(Program::cuda().StreamEndCapture(program.stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(Program::cuda().GraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(Program::cuda().GraphDestroy(graph), CUDA_SUCCESS);

  factor = 5;  // the graph has its own copy of the old one
  for (int replay = 1; replay <= 3; ++replay) {
    ASSERT_EQ(Program::cuda().GraphLaunch(exec, program.stream), CUDA_SUCCESS);
    (void)f(program.input());  // takes memory meanwhile
    const std::vector<float> totals = program.totals();
    for (int i = 0; i < n; i += 97)
      ASSERT_EQ(totals[static_cast<size_t>(i)], 2.0f * static_cast<float>(replay) * static_cast<float>(i)) << replay;
  }
  EXPECT_EQ(to_vector<float>(f(program.input()))[1000], 5000.0f);
  ASSERT_EQ(Program::cuda().GraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST(UserCuda, TheProgramsAllocator) {
  Program program;
  const Device gpu = Device::cuda(0);
  std::mutex mutex;
  std::map<void*, std::pair<size_t, void*>> blocks;
  int wrong = 0;
  set_allocator(gpu, {.allocate = [&](size_t size, void* stream) -> void* {
                        CUdeviceptr block = 0;
                        if (Program::cuda().MemAlloc(&block, size) != CUDA_SUCCESS) return nullptr;
                        const std::lock_guard lock(mutex);
                        blocks[reinterpret_cast<void*>(block)] = {size, stream};
                        return reinterpret_cast<void*>(block);
                      },
                      .release =
                          [&](void* block, size_t size, void* stream) {
                            const std::lock_guard lock(mutex);
                            if (blocks.at(block) != std::pair{size, stream}) ++wrong;
                            blocks.erase(block);
                            (void)Program::cuda().MemFree(reinterpret_cast<CUdeviceptr>(block));
                          }});
  {
    const StreamGuard guard(program.sinter_stream());
    auto f = compile([](Tensor x) { return x * 2; });
    const auto before = device::cuda::driver_calls();
    program.write_ramp(1);
    const Tensor y = f(program.input());
    EXPECT_TRUE(blocks.contains(y.data_ptr()));
    program.add_to_total(y);
    reset_allocator(gpu);
    program.add_to_total(f(program.input()));
    EXPECT_EQ(program.totals()[1000], 4000.0f);
    EXPECT_FALSE(device::cuda::driver_calls_since(before).contains("CtxSynchronize"));
    EXPECT_EQ(blocks.size(), 1u);
  }
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(wrong, 0);
  const std::string message = [&]() -> std::string {
    set_allocator(gpu, {.allocate = [](size_t, void*) -> void* { throw std::runtime_error("closed"); },
                        .release = [](void*, size_t, void*) {}});
    try {
      (void)to(from<float>({1}), gpu);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return {};
  }();
  reset_allocator(gpu);
  EXPECT_NE(message.find("4 bytes asked for"), std::string::npos) << message;
  EXPECT_NE(message.find("closed"), std::string::npos) << message;
}

}  // namespace
}  // namespace sinter
