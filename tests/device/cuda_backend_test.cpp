// SPDX-License-Identifier: Apache-2.0
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/backend.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <cstring>
#include <functional>
#include <string>

#include "runtime/device/builtin.h"
#include "runtime/device/cuda/nvrtc.h"
#include "tests/device/fake_driver.h"

namespace sinter::device::cuda {
namespace {

StreamHandle stream(uintptr_t n) { return reinterpret_cast<StreamHandle>(n); }

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class CudaOnFake : public testing::Test {
 protected:
  /// Whatever a test does, at its end everything the driver gave has been given back.
  void TearDown() override {
    backend.reset();
    EXPECT_TRUE(driver.blocks.empty());
    EXPECT_TRUE(driver.events.empty());
  }
  std::vector<std::byte> cubin() {
    constexpr const char* text = "extern \"C\" __global__ void axpy(float* y) { y[0] = 1.f; }";
    return compile({text, "axpy", "sm_90a", strict_options}).cubin;
  }
  FakeDriver driver;
  std::unique_ptr<Backend> backend = make_backend(driver.functions, 0);
};

TEST_F(CudaOnFake, KnowsTheDevice) {
  const Properties& p = backend->properties();
  EXPECT_EQ(p.name, "Fake GPU");
  EXPECT_EQ(p.architecture, "sm_90a");
  EXPECT_EQ(p.multiprocessors, 132);
  EXPECT_EQ(p.shared_bytes_per_block, 232448u);
}

TEST_F(CudaOnFake, LaunchHandsOverTheSlots) {
  const auto module = backend->load(cubin());
  Function* f = module->function("axpy");
  EXPECT_EQ(f, module->function("axpy"));
  EXPECT_EQ(f->info().registers, 40);
  EXPECT_EQ(driver.calls["FuncSetAttribute"], 1) << "dynamic shared memory is allowed once";
  const uint64_t slots[] = {1, 2, 3};
  backend->launch(*f, {.grid = 7, .threads = 128, .shared_bytes = 4096}, slots, 3, stream(9));
  backend->launch(*f, {.grid = 0, .threads = 128}, slots, 3, nullptr);
  ASSERT_EQ(driver.launches.size(), 1u);
  const FakeDriver::Launch& l = driver.launches[0];
  EXPECT_EQ(l.grid, 7u);
  EXPECT_EQ(l.block, 128u);
  EXPECT_EQ(l.shared, 4096u);
  EXPECT_EQ(l.stream, static_cast<CUstream>(stream(9)));
  EXPECT_EQ(l.slots, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_THROW(backend->launch(*f, {.grid = int64_t{1} << 31}, slots, 3, nullptr), DeviceError);
  EXPECT_SAYS(message_of([&] { module->function("other"); }), "has no entry other");
}

TEST_F(CudaOnFake, ADamagedImageDoesNotReachTheDriver) {
  std::vector<std::byte> image = cubin();
  image.resize(image.size() / 2);
  EXPECT_THROW(backend->load(image), CompileError);
  EXPECT_THROW(backend->load({}), CompileError);
  EXPECT_EQ(driver.calls["ModuleLoadData"], 0);
  driver.results["ModuleLoadData"] = CUDA_ERROR_NO_BINARY_FOR_GPU;
  EXPECT_SAYS(message_of([&] { backend->load(cubin()); }), "cuda:0 (sm_90a, driver for CUDA 13.0) does not accept");
}

TEST_F(CudaOnFake, TheSteadyStateMakesNoDriverAllocation) {
  for (int i = 0; i < 50; ++i) {
    void *a = backend->allocate(1 << 20, nullptr), *b = backend->allocate(300, nullptr);
    backend->release(a, 1 << 20, nullptr);
    backend->release(b, 300, nullptr);
  }
  EXPECT_EQ(driver.calls["MemAlloc"], 2);
  EXPECT_EQ(driver.calls["MemFree"], 0);
  EXPECT_EQ(driver.calls["EventRecord"], 0);
  EXPECT_EQ(driver.calls["CtxSynchronize"], 0);
}

TEST_F(CudaOnFake, MemoryCrossesStreamsBehindAnEvent) {
  void* a = backend->allocate(1000, stream(1));
  backend->release(a, 1000, stream(1));
  driver.busy = true;
  void* b = backend->allocate(1000, stream(2));
  EXPECT_NE(a, b);
  driver.busy = false;
  EXPECT_EQ(backend->allocate(1000, stream(2)), a);
  EXPECT_EQ(driver.calls["EventRecord"], 1);
  backend->release(a, 1000, stream(2));
  backend->release(b, 1000, stream(2));
}

TEST_F(CudaOnFake, OutOfMemoryEmptiesTheCacheAndTriesAgain) {
  void* a = backend->allocate(600 << 20, nullptr);
  backend->release(a, 600 << 20, nullptr);
  void* b = backend->allocate(700 << 20, nullptr);  // only fits without a
  EXPECT_EQ(driver.calls["CtxSynchronize"], 1);
  const std::string text = message_of([&] { backend->allocate(size_t{2} << 30, nullptr); });
  EXPECT_SAYS(text, "DeviceError: [allocate] cuda:0 is out of memory: 2.00 GiB asked for");
  EXPECT_SAYS(text, "of 1.00 GiB are free on the device");
  backend->release(b, 700 << 20, nullptr);
}

TEST_F(CudaOnFake, MemoryOfACaptureStaysUntilItsGraphIsGone) {
  EXPECT_THROW(backend->begin_capture(nullptr), DeviceError);
  StreamHandle s = backend->create_stream();
  backend->begin_capture(s);
  EXPECT_TRUE(backend->is_capturing(s));
  EXPECT_SAYS(message_of([&] { backend->synchronize(s); }), "cannot be waited for while it is being captured");
  EXPECT_EQ(driver.calls["StreamSynchronize"], 0) << "the driver would spoil the capture";
  void* a = backend->allocate(1000, s);
  backend->release(a, 1000, s);
  EXPECT_EQ(backend->allocate(1000, s), a);
  backend->release(a, 1000, s);
  const GraphHandle graph = backend->end_capture(s);
  EXPECT_EQ(driver.calls["GraphRetainUserObject"], 1);
  EXPECT_EQ(driver.calls["GraphDestroy"], 1);
  void* b = backend->allocate(1000, s);
  EXPECT_NE(a, b);
  backend->launch_graph(graph, s);
  backend->destroy_graph(graph);
  for (const auto& [destroy, data] : driver.user_objects) destroy(data);  // as the driver does
  driver.user_objects.clear();
  backend->release(b, 1000, s);
  backend->empty_cache();
  EXPECT_TRUE(driver.blocks.empty());
  backend->destroy_stream(s);
}

TEST_F(CudaOnFake, AFaultIsReportedOnceInFull) {
  void* a = backend->allocate(1000, nullptr);
  driver.results["StreamSynchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  const std::string first = message_of([&] { backend->synchronize(nullptr); });
  EXPECT_SAYS(first,
              "DeviceError: cuda:0 stopped: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  EXPECT_SAYS(first, "noticed by cuStreamSynchronize");
  driver.results["MemcpyDtoHAsync"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  char c;
  const std::string second = message_of([&] { backend->copy_to_host(&c, a, 1, nullptr); });
  EXPECT_SAYS(second, "cuda:0 cannot be used any more in this process");
  EXPECT_SAYS(second, "it stopped earlier: an illegal memory access");
  backend->release(a, 1000, nullptr);  // does not throw
}

TEST_F(CudaOnFake, AnOrdinaryErrorDoesNotEndTheDevice) {
  driver.results["EventRecord"] = CUDA_ERROR_INVALID_HANDLE;
  EventHandle e = backend->create_event();
  EXPECT_SAYS(message_of([&] { backend->record(e, nullptr); }), "cuda:0: cuEventRecord failed");
  driver.results.clear();
  backend->record(e, nullptr);
  backend->destroy_event(e);
}

TEST_F(CudaOnFake, CopiesAndFills) {
  const std::string text = "some bytes";
  void *a = backend->allocate(text.size(), nullptr), *b = backend->allocate(text.size(), nullptr);
  backend->copy_from_host(a, text.data(), text.size(), nullptr);
  backend->copy(b, a, text.size(), nullptr);
  std::string back(text.size(), ' ');
  backend->copy_to_host(back.data(), b, text.size(), nullptr);
  EXPECT_EQ(back, text);
  backend->fill_zero(b, text.size(), nullptr);
  backend->copy_to_host(back.data(), b, text.size(), nullptr);
  EXPECT_EQ(back, std::string(text.size(), '\0'));
  const auto calls = driver.calls;
  backend->copy(nullptr, nullptr, 0, nullptr);
  backend->fill_zero(nullptr, 0, nullptr);
  EXPECT_EQ(driver.calls, calls);
  backend->release(a, text.size(), nullptr);
  backend->release(b, text.size(), nullptr);
}

TEST_F(CudaOnFake, TheCallersContextIsRestored) {
  auto second = make_backend(driver.functions, 1);
  const auto module = second->load(cubin());
  auto* mine = reinterpret_cast<CUcontext>(uintptr_t{0x1000});
  driver.current = mine;  // a program that works on device 0
  driver.calls.clear();
  second->launch(*module->function("axpy"), {.grid = 1}, nullptr, 0, nullptr);
  EXPECT_EQ(driver.launches.back().context, reinterpret_cast<CUcontext>(uintptr_t{0x1001}));
  EXPECT_TRUE(driver.launches.back().slots.empty());
  EXPECT_EQ(driver.current, mine);
  driver.calls.clear();
  backend->synchronize(nullptr);  // device 0 is current already
  EXPECT_EQ(driver.calls["CtxSetCurrent"], 0);
  driver.current = nullptr;  // a thread that never used CUDA
  second->synchronize(nullptr);
  EXPECT_EQ(driver.current, nullptr) << "its device stays 0";
  backend->synchronize(nullptr);
  EXPECT_EQ(driver.current, mine);
}

TEST_F(CudaOnFake, StreamsAreKeptForTheNext) {
  StreamHandle a = backend->create_stream();
  backend->destroy_stream(a);
  EXPECT_EQ(backend->create_stream(), a);
  EXPECT_NE(backend->create_stream(), a);
  EXPECT_EQ(driver.calls["StreamCreate"], 2);
}

TEST(CudaAbsence, AMissingLibraryIsNamed) {
  const DriverResult result = load_driver("libcuda.so.none");
  EXPECT_EQ(result.driver, nullptr);
  EXPECT_EQ(result.tried, "libcuda.so.none: not found");
}

TEST(CudaAbsence, SomethingElseIsNoDriver) {
  const DriverResult result = load_driver("libm.so.6");
  EXPECT_EQ(result.driver, nullptr);
  EXPECT_EQ(result.too_old, 0);
  EXPECT_EQ(result.tried, "libm.so.6: is no CUDA driver");
}

TEST(CudaAbsence, IsSaidInWordsWithTheUsersLine) {
  if (available(Device::cuda(0))) GTEST_SKIP() << "there is a GPU";
  const SourceLine line = SourceLine::current();
  const std::string text = message_of([&] { device::backend(Device::cuda(0), line); });
  EXPECT_SAYS(text, "DeviceError: cuda:0 requested, but ");
  EXPECT_SAYS(text, "\n  at " + line.text());
  EXPECT_SAYS(text, "\n  fix: ");
  EXPECT_SAYS(text, "Device::best(), which is the CPU here");
  if (driver().driver == nullptr && driver().too_old == 0) {
    EXPECT_SAYS(text, "no CUDA driver could be loaded");
    EXPECT_SAYS(text, "tried libcuda.so.1: not found");
    EXPECT_SAYS(text, "NVRTC");
    EXPECT_SAYS(text, "needs driver >= ");
  }
  EXPECT_EQ(Device::best(), Device::cpu());
}

}  // namespace
}  // namespace sinter::device::cuda
#endif
