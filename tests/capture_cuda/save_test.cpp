// SPDX-License-Identifier: Apache-2.0
// Frozen and saved calls on Device::cuda(0): small operands that follow, constants, late index errors, streams.
#include <fstream>
#include <iterator>

#include "runtime/device/backend.h"
#include "runtime/saved/file.h"
#include "tests/cache/folder.h"
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class SavedOnCuda : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  const Device device = Device::cuda(0);
  const cache::TemporaryFolder folder;
  const std::string path = (folder.path() / "function.sinter").string();
};

TEST_F(SavedOnCuda, SkippedHostCode) {
  int runs = 0;
  const Tensor small = counting({1, 3});
  auto f = compile([&](Tensor x, Tensor y) { return ++runs, relu(x * y - small) + 1; }, {.host = Host::skip});
  auto expected = compile([&](Tensor x, Tensor y) { return relu(x * y - small) + 1; });
  for (const int64_t n : {40, 40, 7, 100, 3}) {
    const Tensor x = to(counting({n, 3}), device), y = transpose(counting({3, 1}), 0, 1);  // y follows x
    EXPECT_EQ(bits<float>(f(x, y)), bits<float>(expected(x, y))) << n;
  }
  EXPECT_EQ(runs, 2);
}

TEST_F(SavedOnCuda, SavedAndLoaded) {
  const Tensor weights = to(transpose(counting({5, 64}), 0, 1), device), small = counting({5});
  auto op = compile([&](Tensor x, Tensor y) { return sum(x * weights + small, {.dims = {0}}) * y; },
                    {.name = "weighted", .dynamic = Dynamic::always});
  op.save(path, to(counting({64, 5}), device), counting({5}));
  const Loaded f = load(path);
  EXPECT_TRUE(f.runs_on(device)) << f.why_not(device);
  EXPECT_FALSE(f.runs_on(Device::cpu()));
  const Tensor x = to(counting({64, 5}) - 30, device), y = counting({5}) - 2;
  EXPECT_EQ(bits<float>(f({x, y})[0]), bits<float>(op(x, y)));
  const Stream stream = Stream::create(device);
  const StreamGuard guard(stream);
  EXPECT_EQ(bits<float>(f({x, y})[0]), bits<float>(op(x, y)));
  const std::string elsewhere = refusal<UserError>([&] { f({x, counting({1 << 20})}); });
  EXPECT_TRUE(contains(elsewhere, "argument 1 is on cpu, others on cuda:0")) << elsewhere;
}

// Constants that a captured graph would own never become those of later calls.
TEST_F(SavedOnCuda, FirstCallsUnderCapture) {
  const Tensor weights = counting({4}) * 10;
  auto op = compile([&](Tensor x) { return x + weights; }, {.host = Host::skip});
  const Tensor x = to(counting({4}), device), expected = op(x);
  op.save(path, x);
  const Loaded loaded = load(path);
  auto skipping = compile([&](Tensor t) { return t + weights; }, {.host = Host::skip});
  const Stream stream = Stream::create(device);
  device::Backend& gpu = device::backend(device);
  gpu.synchronize_all();
  {
    const StreamGuard guard(stream);
    gpu.begin_capture(stream.native());
    const std::string text = refusal<UserError>([&] { loaded({x}); });
    EXPECT_TRUE(contains(text, "call it once before the capture")) << text;
    {
      const Tensor y = skipping(x);
    }
    gpu.destroy_graph(gpu.end_capture(stream.native()));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(bits<float>(loaded({x})[0]), bits<float>(expected));
    EXPECT_EQ(bits<float>(skipping(x)), bits<float>(expected));
  }
}

// A region does not take a large tensor to another device because something is created there.
TEST_F(SavedOnCuda, CreationElsewhereThanLargeInputs) {
  auto f = compile([](Tensor x) {
    Tensor y = x * 2;
    return y + zeros({1 << 17}, f32, Device::cuda(0));
  });
  const std::string text = refusal<UserError>([&] { f(counting({1 << 17})); });
  EXPECT_TRUE(contains(text, "operands on cpu and cuda:0")) << text;
}

TEST_F(SavedOnCuda, SourceRunsWhereNoImageDoes) {
  auto op = compile([](Tensor x) { return exp(x * 0.25f) - 1; });
  const Tensor x = to(counting({1000}), device);
  op.save(path, x);
  std::ifstream in(path, std::ios::binary);
  saved::File file = saved::unpack(std::string{std::istreambuf_iterator<char>(in), {}}, path);
  ASSERT_EQ(file.targets.size(), 2u);
  file.targets[0].architecture = "sm_10";  // of no GPU there is
  std::ofstream(path, std::ios::binary) << saved::pack(file);
  EXPECT_EQ(bits<float>(load(path)({x})[0]), bits<float>(op(x)));
  op.save({.path = path, .source = false}, x);
  std::ifstream again(path, std::ios::binary);
  file = saved::unpack(std::string{std::istreambuf_iterator<char>(again), {}}, path);
  ASSERT_EQ(file.targets.size(), 1u);
  file.targets[0].architecture = "sm_10";
  std::ofstream(path, std::ios::binary) << saved::pack(file);
  const std::string none = refusal<DeviceError>([&] { load(path)({x}); });
  EXPECT_TRUE(contains(none, "has code for sm_10; cuda:0 is ")) << none;
}

TEST_F(SavedOnCuda, LateIndexErrorsNameTheirLine) {
  const int line = __LINE__ + 1;
  auto op = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const Tensor x = to(counting({4}), device);
  op.save(path, x, to(from<int64_t>({0, 1}), device));
  const Loaded f = load(path);
  (void)f({x, to(from<int64_t>({0, 4}), device)});
  const std::string bad = refusal<UserError>([&] { synchronize(device); });
  EXPECT_TRUE(contains(bad, line_text(__FILE__, line))) << bad;
}

}  // namespace
}  // namespace sinter::test
