// SPDX-License-Identifier: Apache-2.0
// Scans that are spread over programs: any length, static or not, again and again, on any stream and in captured calls,
// gives the interpreter's bits.
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/thread_pool.h"
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class GridScans : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  static Tensor values(const Dims& shape) {
    std::mt19937 random(static_cast<unsigned>(shape.product()));
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<size_t>(shape.product()));
    for (float& x : v) x = normal(random);
    return from<float>(v, shape);
  }
  const std::vector<Device> devices{Device::cpu(), Device::cuda(0)};
  /// The interpreter, which stands in where there is no LLVM, is not captured, and slow.
#ifdef SINTER_WITH_LLVM
  const std::vector<Device> devices_with_kernels = devices;
#else
  const std::vector<Device> devices_with_kernels{Device::cuda(0)};
#endif
};

Tensor sums(Tensor x) { return cumsum(x, -1); }

TEST_F(GridScans, AnyLengthWithOneCompilation) {
  auto expected = compile(sums, {.backend = "reference"});
  for (const Device device : devices) {
    auto f = compile(sums, {.dynamic = Dynamic::always});
    for (const int64_t n : {2, 1000, 8191, 8192, 8193, 16384, 70000, 8192, 2})
      EXPECT_EQ(bits<float>(f(to(values({n}), device))), bits<float>(expected(values({n})))) << n << device.text();
    EXPECT_EQ(f.stats().compilations, 1) << device.text();
  }
}

TEST_F(GridScans, RowsAndColumnsOfAnySizeWithOneCompilation) {
  for (const int64_t dim : {0, 1}) {
    const auto scan = [dim](Tensor x) { return cumsum(x, dim); };
    auto expected = compile(scan, {.backend = "reference"});
    for (const Device device : devices) {
      auto f = compile(scan, {.dynamic = Dynamic::always});
      for (const Dims& shape : {Dims{3, 5}, Dims{2, 9000}, Dims{40, 300}, Dims{8200, 3}})
        EXPECT_EQ(bits<float>(f(to(values(shape), device))), bits<float>(expected(values(shape))))
            << shape.text() << " along " << dim << " on " << device.text();
      EXPECT_EQ(f.stats().compilations, 1) << device.text();
    }
  }
}

// The words that programs meet in are as they were before: folds and scans take turns.
TEST_F(GridScans, LeaveNothingBehind) {
  const auto both = [](Tensor x) -> std::vector<Tensor> { return {cumsum(x, 0), sum(x), cumprod(x, 0)}; };
  auto expected = compile(both, {.backend = "reference"});
  const auto want = expected(values({30000}));
  for (const Device device : devices_with_kernels) {
    auto f = compile(both);
    const Tensor x = to(values({30000}), device);
    for (int again = 0; again < 4; ++again) {
      const auto got = f(x);
      for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(bits<float>(got[i]), bits<float>(want[i])) << device.text();
    }
    const size_t bytes = device::arrival_words * sizeof(uint32_t);
    std::vector<uint32_t> words(device::arrival_words, 1);
    device::Backend& backend = device::backend(device);
    const device::StreamHandle stream = current_stream(device).native();
    const std::shared_ptr<void> arrivals = backend.arrivals(stream);
    backend.copy_to_host(words.data(), arrivals.get(), bytes, stream);
    backend.synchronize(stream);
    EXPECT_EQ(words, std::vector<uint32_t>(words.size(), 0)) << device.text();
  }
}

// Thousands of programs at once, where there are: sums of ones are positions, and floats are the same each time.
TEST_F(GridScans, ManyProgramsWaitForEachOther) {
  const bool is_gpu = std::getenv("SINTER_TEST_GPU") != nullptr;
  const int64_t n = is_gpu ? int64_t{1} << 26 : int64_t{1} << 18;
  for (const Device device : devices_with_kernels) {
    if (device.is_cpu() && is_gpu) continue;
    const Tensor ones = full({n}, 1, i32, device), numbers = to(values({1 << 18}), device);
    const Tensor floats = repeat(numbers, {n >> 18}), first = cumsum(floats, 0);
    for (int again = 0; again < (is_gpu ? 50 : 3); ++again) {
      const Tensor wrong = sum(ne(cumsum(ones, 0), arange(1, n + 1, {.dtype = i64, .device = device})));
      EXPECT_EQ(item<int64_t>(wrong), 0) << device.text();
      EXPECT_EQ(item<int64_t>(sum(ne(cumsum(floats, 0), first))), 0) << device.text();
    }
  }
}

#ifdef SINTER_WITH_LLVM
// More threads than processors: who waits for a program that is not running gives way, instead of a time slice a step.
TEST_F(GridScans, FarMoreThreadsThanProcessors) {
  const Tensor ones = full({int64_t{1} << 24}, 1, f32);
  auto f = compile(sums);
  const auto want = bits<float>(f(ones));
  set_num_threads(64);
  const auto begin = std::chrono::steady_clock::now();
  for (int again = 0; again < 3; ++again) EXPECT_EQ(bits<float>(f(ones)), want);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  device::cpu::set_thread_count(0);
  EXPECT_LT(took.count(), 20) << "2048 chunks of a row, three times";
}
#endif

TEST_F(GridScans, ManyThreadsAtOnce) {
  for (const Device device : devices_with_kernels) {
    auto f = compile(sums);
    const Tensor x = to(values({200000}), device);
    const auto want = bits<float>(f(x));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, own = t % 2 == 1] {
        const StreamGuard guard(own ? Stream::create(device) : current_stream(device));
        for (int i = 0; i < 5; ++i) EXPECT_EQ(bits<float>(f(x)), want) << device.text();
      });
    for (std::thread& t : threads) t.join();
  }
}

}  // namespace
}  // namespace sinter::test
