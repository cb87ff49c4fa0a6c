// SPDX-License-Identifier: Apache-2.0
// Values that breaks keep, on a device with streams of its own.
#include <thread>

#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class OnCuda : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  const Device cuda = Device::cuda(0);
  Tensor there(const Tensor& t) const { return to(t, cuda); }
};

TEST_F(OnCuda, BreaksChangeNoBit) {
  const Tensor factor = from<float>({3});  // follows x
  auto f = compile([&](Tensor x, int breaks) {
    Tensor a = x * 0.3 + 1, b = a * factor, c = transpose(a, 0, 1);
    if (breaks & 1) (void)item<float>(sum(x));
    if (breaks & 2) graph_break();
    EXPECT_EQ(c.shape(), (Dims{3, 2}));
    EXPECT_TRUE(b.device().is_cuda());
    Tensor d = b + a;
    if (breaks & 4) (void)to_vector<float>(d);
    return d * transpose(c, 0, 1);
  });
  const Tensor x = there(counting({2, 3}));
  const auto expected = bits<float>(f(x, 0));
  for (int breaks = 1; breaks < 8; ++breaks)
    for (int call = 0; call < 2; ++call) EXPECT_EQ(bits<float>(f(x, breaks)), expected) << breaks;
}

TEST_F(OnCuda, ChecksOfKeptValuesAreReportedOnceTheyAreComputed) {
  bool use = false;
  auto f = compile([&](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i);
    graph_break();
    return use ? bad + 1 : x;
  });
  const Tensor x = there(counting({5})), i = there(from<int64_t>({5, 0}));
  (void)f(x, i);
  EXPECT_NO_THROW(synchronize(cuda));
  use = true;
  for (int call = 0; call < 2; ++call) {
    (void)f(x, i);
    EXPECT_FALSE(refusal<UserError>([&] { synchronize(cuda); }).empty()) << call;
  }
  EXPECT_NO_THROW(synchronize(cuda));
}

TEST_F(OnCuda, SynchronizingInsideComputesAndReports) {
  auto f = compile([&](Tensor x, Tensor i) {
    Tensor bad = index_select(x, 0, i);
    graph_break();
    synchronize(cuda);
    return x;
  });
  const Tensor x = there(counting({5})), i = there(from<int64_t>({5, 0}));
  for (int call = 0; call < 2; ++call) EXPECT_FALSE(refusal<UserError>([&] { (void)f(x, i); }).empty()) << call;
}

TEST_F(OnCuda, ThreadsWithStreamsOfTheirOwnComputeKeptValues) {
  auto f = compile([&](Tensor x) {
    Tensor a = x + 1, b = x * 2;
    graph_break();
    std::thread([&] {
      const Stream own = Stream::create(cuda);
      const StreamGuard guard(own);
      EXPECT_EQ(to_vector<float>(a), (std::vector<float>{2, 3}));
      EXPECT_EQ(current_stream(cuda).native(), own.native());
    }).join();
    return a * b;
  });
  const Tensor x = there(from<float>({1, 2}));
  for (int call = 0; call < 3; ++call) EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{4, 12}));
}

TEST_F(OnCuda, ABreakInsideACaptureKeepsNothing) {
  auto f = compile([&](Tensor x) {
    Tensor a = x + 1, unused = x * 2;
    graph_break();
    return a;
  });
  const Tensor x = there(from<float>({1, 2}));
  EXPECT_EQ(f.explain(x).regions.at(0).stored, 0);
  const Stream stream = Stream::create(cuda);
  const StreamGuard guard(stream);
  device::Backend& backend = device::backend(cuda);
  backend.begin_capture(stream.native());
  const Explanation e = f.explain(x);
  backend.destroy_graph(backend.end_capture(stream.native()));
  ASSERT_EQ(e.regions.size(), 1u);
  EXPECT_EQ(e.regions[0].stored, 2);
  EXPECT_TRUE(e.regions[0].kept.empty());
}

TEST_F(OnCuda, OtherThreadsQueueNothingOnAStreamThatIsCaptured) {
  const Stream stream = Stream::create(cuda);
  const StreamGuard guard(stream);
  auto f = compile([&](Tensor x) {
    Tensor a = x + 1;
    graph_break();
    device::Backend& backend = device::backend(cuda);
    backend.begin_capture(stream.native());
    std::string refused;
    std::thread([&] { refused = refusal<UserError>([&] { (void)to_vector<float>(a); }); }).join();
    backend.destroy_graph(backend.end_capture(stream.native()));
    EXPECT_TRUE(contains(refused, "captured")) << refused;
    return a;
  });
  EXPECT_EQ(to_vector<float>(f(there(from<float>({1, 2})))), (std::vector<float>{2, 3}));
}

TEST_F(OnCuda, ConstantsWhoseAddressTheHostHasAreCopiedOnEveryCall) {
  const Tensor factor = from<float>({3, 4});
  auto f = compile([&](Tensor x) { return x * factor; });
  const Tensor x = there(from<float>({1, 1}));
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{3, 4}));
  auto* values = static_cast<float*>(factor.data_ptr());
  for (float v : {5.0f, 6.0f}) {
    values[0] = v;
    EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{v, 4}));
  }
}

}  // namespace
}  // namespace sinter::test
