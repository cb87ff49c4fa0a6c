// SPDX-License-Identifier: Apache-2.0
// Folds that are split among programs: any length, static or not, on any stream, gives the interpreter's bits.
#include <random>
#include <thread>

#include "runtime/device/backend.h"
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class GridFolds : public testing::Test {
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

std::vector<Tensor> all_of(Tensor x) { return {sum(x * x), amax(x)}; }

TEST_F(GridFolds, AnyLengthWithOneCompilation) {
  auto expected = compile(all_of, {.backend = "reference"});
  for (const Device device : devices) {
    auto f = compile(all_of, {.dynamic = Dynamic::always});
    for (const int64_t n : {2, 1000, 1025, 8192, 8193, 16384, 16385, 70000, 131072, 300001}) {
      const Tensor x = values({n});
      const auto want = expected(x), got = f(to(x, device));
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(bits<float>(got[i]), bits<float>(want[i])) << n << " on " << device.text() << ", output " << i;
    }
    EXPECT_EQ(f.stats().compilations, 1) << device.text();
  }
}

TEST_F(GridFolds, RowsAndColumns) {
  const auto check = [&](const auto& fold, const std::vector<Dims>& shapes) {
    auto expected = compile(fold, {.backend = "reference"});
    for (const Device device : devices)
      for (const Dynamic dynamic : {Dynamic::never, Dynamic::always}) {
        auto f = compile(fold, {.dynamic = dynamic});
        for (const Dims& shape : shapes) {
          const Tensor x = values(shape);
          EXPECT_EQ(bits<float>(f(to(x, device))), bits<float>(expected(x))) << shape.text() << " on " << device.text();
        }
      }
  };
  check([](Tensor x) { return sum(x, {.dims = {1}}); }, {Dims{2, 70000}, Dims{3, 20000}, Dims{40, 300}});
  check([](Tensor x) { return mean(x, {.dims = {0}}); }, {Dims{20000, 3}, Dims{2500, 40}, Dims{300, 40}});
}

// A graph meets in words of its own: what runs on the stream between two replays does not disturb it.
TEST_F(GridFolds, CapturedCallsReplay) {
  for (const Device device : devices_with_kernels) {
    const Stream stream = Stream::create(device);
    const StreamGuard guard(stream);
    device::Backend& backend = device::backend(device);
    auto f = compile(all_of);
    const Tensor x = to(values({200000}), device);
    const auto want = bits<float>(f(x)[0]);
    backend.begin_capture(stream.native());
    Tensor y = f(x)[0];
    const device::GraphHandle graph = backend.end_capture(stream.native());
    const std::vector<uint32_t> busy(64, 7), idle(64, 0);  // as work of the stream beside the graph would leave them
    const std::shared_ptr<void> words = backend.arrivals(stream.native());
    for (int replay = 0; replay < 3; ++replay) {
      backend.copy_from_host(words.get(), busy.data(), busy.size() * 4, stream.native());
      backend.launch_graph(graph, stream.native());
      backend.copy_from_host(words.get(), idle.data(), idle.size() * 4, stream.native());
      EXPECT_EQ(bits<float>(y), want) << device.text();
      EXPECT_EQ(bits<float>(f(x)[0]), want) << device.text();
    }
    y = Tensor();
    backend.destroy_graph(graph);
  }
}

TEST_F(GridFolds, ManyThreadsAtOnce) {
  for (const Device device : devices_with_kernels) {
    auto f = compile(all_of);
    const Tensor x = to(values({300000}), device);
    const auto want = bits<float>(f(x)[0]);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, own = t % 2 == 1] {
        const StreamGuard guard(own ? Stream::create(device) : current_stream(device));
        for (int i = 0; i < 5; ++i) EXPECT_EQ(bits<float>(f(x)[0]), want) << device.text();
      });
    for (std::thread& t : threads) t.join();
  }
}

}  // namespace
}  // namespace sinter::test
