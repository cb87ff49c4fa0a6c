// SPDX-License-Identifier: Apache-2.0
// Random numbers on CUDA: those of the CPU, also under capture and in streams of their own.
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class RandomOnCuda : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  const Device cuda = Device::cuda(0);
};

/// One of everything but f64 normals, whose functions are the platform's.
std::vector<Tensor> everything(const Tensor& x, Device device) {
  std::vector<Tensor> out;
  for (const DType t : {f16, bf16, f32, f64}) {
    out.push_back(to(rand({5, 13}, t, device), f64));
    out.push_back(to(uniform(-2, 3, {70}, t, device), f64));
    out.push_back(to(randint(-7, 9, {33}, t, device), f64));
    if (t != f64) out.push_back(to(randn({130}, t, device), f64));
  }
  out.push_back(to(randint(INT64_MIN, INT64_MAX, {7}, i64, device), f64));
  out.push_back(to(dropout(x, 0.4) + rand_like(x) * randn_like(x), f64));
  out.push_back(to(bernoulli(sigmoid(x)), f64));
  return out;
}

TEST_F(RandomOnCuda, NumbersAreTheCpus) {
  auto on_cpu = compile([](Tensor x) { return everything(x, Device::cpu()); });
  auto there = compile([&](Tensor x) { return everything(x, cuda); });
  manual_seed(77);
  const auto expected = on_cpu(counting({3, 11}));
  const RandomState after = random_state();
  manual_seed(77);
  const auto got = there(to(counting({3, 11}), cuda));
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(bits<double>(got[i]), bits<double>(expected[i])) << i;
  EXPECT_EQ(random_state(cuda), after);
}

TEST_F(RandomOnCuda, ReplaysOfACaptureDrawOn) {
  auto f = compile([&](Tensor x) {
    (void)rand({3}, f32, cuda);
    Tensor a = x + rand({4}, f32, cuda);
    graph_break();
    return a * randn({4}, f32, cuda);
  });
  const Tensor x = to(zeros({4}), cuda);
  const Stream stream = Stream::create(cuda);
  const StreamGuard guard(stream);
  device::Backend& backend = device::backend(cuda);
  manual_seed(21);
  std::vector<std::vector<uint64_t>> expected;
  for (int call = 0; call < 4; ++call) expected.push_back(bits<float>(f(x)));
  manual_seed(21);
  backend.begin_capture(stream.native());
  Tensor y = f(x);
  EXPECT_THROW(manual_seed(1), UserError);
  const device::GraphHandle graph = backend.end_capture(stream.native());
  EXPECT_EQ(random_state(cuda), (RandomState{21, 0})) << "nothing ran yet";
  for (size_t replay = 0; replay < 3; ++replay) {
    backend.launch_graph(graph, stream.native());
    EXPECT_EQ(bits<float>(y), expected[replay]) << replay;
  }
  EXPECT_EQ(bits<float>(f(x)), expected[3]) << "the sequence goes on behind the replays";
  manual_seed(21);
  backend.launch_graph(graph, stream.native());
  EXPECT_EQ(bits<float>(y), expected[0]) << "seeding reaches the captured work";
  y = Tensor();
  backend.destroy_graph(graph);
}

TEST_F(RandomOnCuda, StreamsShareTheSequence) {
  manual_seed(5);
  const auto first = bits<float>(rand({100}, f32, cuda)), second = bits<float>(rand({100}, f32, cuda));
  manual_seed(5);
  for (const auto& expected : {first, second}) {
    const Stream stream = Stream::create(cuda);
    const StreamGuard guard(stream);
    EXPECT_EQ(bits<float>(rand({100}, f32, cuda)), expected);
  }
}

}  // namespace
}  // namespace sinter::test
