// SPDX-License-Identifier: Apache-2.0
// The driver calls of compiled functions among a program's own CUDA work. Nothing runs here, so results are not looked
// at: NVRTC compiles the kernels, and the driver that they are handed to writes down what it is asked for.
#ifdef SINTER_WITH_CUDA
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <barrier>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/backend.h"
#include "tests/device/fake_driver.h"

namespace sinter {
namespace {

using device::cuda::FakeDriver;
using Calls = std::map<std::string, int>;

void* native(uintptr_t n) { return reinterpret_cast<void*>(n); }

class UserCuda : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (driver != nullptr) return;
    driver = new FakeDriver;  // back ends live to the end of the process
    device::register_backend(DeviceKind::cuda,
                             [](int index) { return device::cuda::make_backend(driver->functions, index); });
  }
  void TearDown() override {
    driver->capture_id = 0;
    driver->busy = false;
  }
  static Tensor on_gpu(std::initializer_list<float> values) { return to(from<float>(values), gpu); }
  static void forget_calls() {
    driver->calls.clear();
    driver->launches.clear();
    driver->waited_for.clear();
  }
  /// What was asked for, but for questions about the thread's capture that cost nothing.
  static Calls calls() {
    Calls c = driver->calls;
    c.erase("StreamGetCaptureInfo");
    return c;
  }

  static constexpr Device gpu = Device::cuda(0);
  static inline FakeDriver* driver = nullptr;
};

TEST_F(UserCuda, TheSteadyStateOnlyLaunches) {
  const Stream mine = Stream::from_native(native(0x5000));
  const StreamGuard guard(mine);
  const Tensor scale = from<float>({3});  // follows its operands to their device, once
  auto f = compile([&](Tensor x, float shift) {
    Tensor a = relu(x * scale + shift);
    graph_break();
    return sum(a * a);
  });
  const Tensor x = on_gpu({1, -2, 3});
  float shift = 0;
  for (int i = 0; i < 4; ++i) (void)f(x, shift += 1);
  forget_calls();
  const uint64_t before = memory_use(gpu).reserved;
  for (int i = 0; i < 50; ++i) (void)f(x, shift += 1);
  EXPECT_EQ(calls(), (Calls{{"LaunchKernel", static_cast<int>(driver->launches.size())}}));
  EXPECT_GE(driver->launches.size(), 50u);
  for (const FakeDriver::Launch& l : driver->launches) EXPECT_EQ(l.stream, native(0x5000));
  EXPECT_EQ(memory_use(gpu).reserved, before);
}

TEST_F(UserCuda, ThreadsWithStreamsOfTheirOwnOnlyLaunch) {
  constexpr int threads = 4, rounds = 25;
  auto f = compile([](Tensor x) { return exp(x) - x; });
  const Tensor x = on_gpu({1, 2, 3, 4});
  std::barrier all_hold(threads);  // else a stream may go on with a block of another one, behind an event
  const auto work = [&](int calls_of_each) {
    std::vector<std::thread> running;
    for (uintptr_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        const StreamGuard guard(Stream::from_native(native(0x6000 + 16 * t)));
        {
          const Tensor a = f(x), b = f(x);
          all_hold.arrive_and_wait();
        }
        for (int i = 2; i < calls_of_each; ++i) (void)f(x);
      });
    for (std::thread& t : running) t.join();
  };
  work(3);
  forget_calls();
  work(rounds);
  Calls c = calls();
  c.erase("CtxSetCurrent");  // threads that never used CUDA
  EXPECT_EQ(c, (Calls{{"LaunchKernel", threads * rounds}}));
  std::map<void*, int> on_stream;
  for (const FakeDriver::Launch& l : driver->launches) ++on_stream[l.stream];
  for (uintptr_t t = 0; t < threads; ++t) EXPECT_EQ(on_stream[native(0x6000 + 16 * t)], rounds);
}

TEST_F(UserCuda, ReadingWaitsForTheCurrentStreamAlone) {
  const StreamGuard guard(Stream::from_native(native(0x5000)));
  auto f = compile([](Tensor x) { return x + 1; });
  const Tensor y = f(on_gpu({1}));
  forget_calls();
  (void)to_vector<float>(y);
  EXPECT_EQ(calls(), (Calls{{"MemcpyDtoHAsync", 1}, {"StreamSynchronize", 1}}));
  EXPECT_EQ(driver->waited_for, (std::vector<CUstream>{static_cast<CUstream>(native(0x5000))}));
}

TEST_F(UserCuda, WaitingForAStreamLeavesOthersAlone) {
  auto f = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const Tensor x = on_gpu({1, 2}), i = to(from<int64_t>({1, 0}), gpu);
  for (const uintptr_t s : {0x7000, 0x8000}) {
    const StreamGuard guard(Stream::from_native(native(s)));
    (void)f(x, i);  // leaves a status word to look at
  }
  forget_calls();
  Stream::from_native(native(0x7000)).synchronize();
  for (const CUstream s : driver->waited_for) EXPECT_EQ(s, native(0x7000));
  EXPECT_EQ(driver->calls["MemcpyDtoHAsync"], 1);
  EXPECT_EQ(driver->calls["CtxSynchronize"], 0);
  synchronize(gpu);
  EXPECT_EQ(driver->calls["MemcpyDtoHAsync"], 2);
  EXPECT_EQ(driver->calls["CtxSynchronize"], 1) << "only on request";
}

TEST_F(UserCuda, NothingIsAskedOfAForgottenStream) {
  auto f = compile([](Tensor x, Tensor i) { return sum(index_select(x, 0, i)); });
  const Tensor x = on_gpu({1, 2}), i = to(from<int64_t>({1, 0}), gpu);
  const Stream mine = Stream::from_native(native(0x9000));
  {
    const StreamGuard guard(mine);
    (void)f(x, i);
  }
  driver->waited_for.clear();
  forget_calls();
  forget_stream(mine);
  EXPECT_EQ(driver->calls["CtxSynchronize"], 0);
  EXPECT_EQ(driver->waited_for, (std::vector<CUstream>{static_cast<CUstream>(native(0x9000))}))
      << "for its status word";
  driver->waited_for.clear();
  driver->streams.clear();
  (void)f(x, i);
  synchronize(gpu);
  EXPECT_FALSE(driver->streams.contains(static_cast<CUstream>(native(0x9000))));
}

TEST_F(UserCuda, AColdCallInsideTheUsersCaptureWaitsForNothing) {
  const StreamGuard guard(Stream::from_native(native(0x5000)));
  const Tensor scale = from<float>({3});
  auto f = compile([&](Tensor x) { return x * scale - 7; });
  const Tensor x = on_gpu({1, 2, 3});
  forget_calls();
  driver->busy = true;
  driver->capture_id = 5;
  const Tensor y = f(x);
  EXPECT_THROW((void)to_vector<float>(y), UserError);
  for (const char* name : {"StreamSynchronize", "CtxSynchronize", "EventSynchronize", "MemFree", "MemcpyDtoHAsync"})
    EXPECT_EQ(driver->calls[name], 0) << name;
  EXPECT_EQ(driver->calls["LaunchKernel"], 1);
  EXPECT_GE(driver->calls["GraphRetainUserObject"], 1) << "the graph keeps what it reads and writes";
}

TEST_F(UserCuda, TheUsersAllocatorServesCalls) {
  std::map<void*, std::pair<size_t, void*>> blocks;
  std::vector<CUcontext> contexts;
  set_allocator(gpu, {.allocate =
                          [&](size_t bytes, void* s) {
                            contexts.push_back(FakeDriver::current);
                            void* block = std::aligned_alloc(64, bytes);
                            blocks[block] = {bytes, s};
                            return block;
                          },
                      .release =
                          [&](void* block, size_t bytes, void* s) {
                            EXPECT_EQ(blocks.at(block), (std::pair{bytes, s}));
                            blocks.erase(block);
                            std::free(block);
                          }});
  {
    const StreamGuard guard(Stream::from_native(native(0x5000)));
    auto f = compile([](Tensor x) { return x * 2 + 1; });
    const Tensor x = on_gpu({1, 2}), y = f(x);
    EXPECT_TRUE(blocks.contains(y.data_ptr()));
    EXPECT_EQ(blocks.at(y.data_ptr()).second, native(0x5000));
    forget_calls();
    for (int i = 0; i < 10; ++i) (void)f(x);
    EXPECT_EQ(calls(), (Calls{{"LaunchKernel", 10}}));
    reset_allocator(gpu);
    EXPECT_FALSE(blocks.contains(f(x).data_ptr()));
    EXPECT_TRUE(blocks.contains(y.data_ptr()));
  }
  EXPECT_TRUE(blocks.empty()) << "freed by the hook that made them";
  for (const CUcontext c : contexts) EXPECT_EQ(c, reinterpret_cast<CUcontext>(uintptr_t{0x1000}));
}

TEST_F(UserCuda, HandlesThatNameNoStreamOfTheirOwn) {
  EXPECT_EQ(Stream::from_native(CU_STREAM_LEGACY), Stream(gpu)) << "the same queue has one handle";
  const SourceLine line = SourceLine::current();
  try {
    (void)Stream::from_native(CU_STREAM_PER_THREAD, gpu, line);
    FAIL() << "no error";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("UserError: [from_native] CU_STREAM_PER_THREAD"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  at " + line.text()), std::string::npos) << text;
    EXPECT_NE(text.find("\n  fix: "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace sinter
#endif
