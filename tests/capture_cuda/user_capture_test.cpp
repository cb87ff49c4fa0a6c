// SPDX-License-Identifier: Apache-2.0
// Calls inside a capture that the program began, and its own allocator, on the emulator or a GPU.
#include <map>
#include <optional>
#include <vector>

#include "runtime/device/backend.h"
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class UserCapture : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  void SetUp() override { stream.emplace(Stream::create(cuda)); }
  Tensor there(const Tensor& t) const { return to(t, cuda); }

  /// What `work` queues, as a graph.
  template <class F>
  device::GraphHandle captured(const F& work) {
    gpu().synchronize_all();  // what was queued on the default stream
    const StreamGuard guard(*stream);
    gpu().begin_capture(stream->native());
    work();
    return gpu().end_capture(stream->native());
  }
  std::vector<float> after_replay(device::GraphHandle graph, const Tensor& t) {
    const StreamGuard guard(*stream);
    gpu().launch_graph(graph, stream->native());
    return to_vector<float>(t);
  }
  static device::Backend& gpu() { return device::backend(cuda); }

  static constexpr Device cuda = Device::cuda(0);
  std::optional<Stream> stream;
};

TEST_F(UserCapture, ReplaysComputeAgain) {
  auto f = compile([](Tensor x) { return sum(x * 2 + 1); });
  const Tensor x = there(from<float>({1, 2, 3}));
  Tensor y;
  const auto graph = captured([&] { y = f(x); });
  for (const float v : {5.0f, 6.0f}) {
    const float values[] = {v, v, v};
    gpu().copy_from_host(x.data_ptr(), values, sizeof values, stream->native());
    EXPECT_EQ(after_replay(graph, y), (std::vector<float>{3 * (2 * v + 1)}));
  }
  y.reset();
  gpu().destroy_graph(graph);
}

TEST_F(UserCapture, InPlaceOpsAndIntoAreReplayed) {
  auto update = compile([](const Tensor& x) {
    x += 1;
    copy_(slice(x, 0, 1), slice(x, 0, 0, -1));  // through memory of its own
    return x;
  });
  auto f = compile([](const Tensor& x) { return x * 10; });
  const Tensor x = there(from<float>({1, 2, 3})), out = there(zeros({3})), small = clone(from<float>({1, 1, 1}));
  const auto graph = captured([&] {
    const Tensor y = update(x);
    f.into(out)(y);
    out += small;  // at once, with a copy of a host tensor
    select(x, 0, 2) *= 2;
  });
  EXPECT_EQ(to_vector<float>(x), (std::vector<float>{1, 2, 3})) << "nothing ran yet";
  small += 100;
  EXPECT_EQ(after_replay(graph, out), (std::vector<float>{21, 21, 31}));
  EXPECT_EQ(to_vector<float>(x), (std::vector<float>{2, 2, 6}));
  EXPECT_EQ(after_replay(graph, out), (std::vector<float>{31, 31, 31}));
  EXPECT_EQ(to_vector<float>(x), (std::vector<float>{3, 3, 6}));
  gpu().destroy_graph(graph);
}

TEST_F(UserCapture, HostConstantsLiveAsLongAsTheGraph) {
  std::optional<Tensor> scale = from<float>({3, 4});
  Tensor also = from<float>({10, 20});
  auto f = compile([&](Tensor x) { return x * *scale + also; });
  const Tensor x = there(from<float>({1, 2}));
  Tensor y, moved;
  const auto graph = captured([&] {
    y = f(x);
    moved = to(from<float>({7}), cuda);  // dies at once
  });
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{13, 28})) << "before any replay";
  scale = from<float>({100, 100});
  also = scale.value();
  for (int replay = 0; replay < 2; ++replay) {
    EXPECT_EQ(after_replay(graph, y), (std::vector<float>{13, 28}));
    EXPECT_EQ(after_replay(graph, moved), (std::vector<float>{7}));
  }
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{200, 300})) << "outside nothing is frozen";
  gpu().destroy_graph(graph);
}

TEST_F(UserCapture, WhatNeedsAValueIsRefusedAndTheCaptureGoesOn) {
  auto f = compile([](Tensor x) { return x + 1; });
  const Tensor x = there(from<float>({1}));
  Tensor y;
  const auto graph = captured([&] {
    y = f(x);
    const std::string refused = refusal<UserError>([&] { (void)item<float>(y); });
    EXPECT_TRUE(contains(refused, "the host needs the values of f32 [1] cuda:0")) << refused;
    EXPECT_TRUE(contains(refused, "captured")) << refused;
    EXPECT_TRUE(contains(refusal<DeviceError>([&] { stream->synchronize(); }), "while it is being captured"));
    y = f(y);
  });
  EXPECT_EQ(after_replay(graph, y), (std::vector<float>{3}));
  gpu().destroy_graph(graph);
}

TEST_F(UserCapture, IndexChecksOfReplaysAreNotReported) {
  auto f = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const Tensor x = there(from<float>({1, 2})), bad = there(from<int64_t>({5, 1}));
  Tensor y;
  const auto graph = captured([&] { y = f(x, bad); });
  EXPECT_NO_THROW(synchronize(cuda)) << "nothing ran yet";
  EXPECT_EQ(after_replay(graph, y).at(1), 2.0f);
  EXPECT_NO_THROW(synchronize(cuda));
  gpu().destroy_graph(graph);
}

TEST_F(UserCapture, IndexChecksBelongToTheirStream) {
  auto f = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const Tensor x = there(from<float>({1, 2})), bad = there(from<int64_t>({5}));
  gpu().synchronize_all();
  const Stream other = Stream::create(cuda);
  {
    const StreamGuard guard(*stream);
    (void)f(x, bad);
  }
  EXPECT_NO_THROW(other.synchronize());
  gpu().begin_capture(stream->native());
  EXPECT_NO_THROW(other.synchronize()) << "a stream under capture is not looked at";
  gpu().destroy_graph(gpu().end_capture(stream->native()));
  EXPECT_FALSE(refusal<UserError>([&] { stream->synchronize(); }).empty());
  EXPECT_NO_THROW(synchronize(cuda)) << "reported once";
}

TEST_F(UserCapture, TheProgramsAllocatorServesCallsAndGraphs) {
  // The library's own memory stands for the program's pool.
  std::map<void*, size_t> blocks;
  void* pool = gpu().allocate(1 << 20, nullptr);
  char* next = static_cast<char*>(pool);
  set_allocator(cuda, {.allocate = [&](size_t bytes, void*) -> void* {
                         if (next + bytes > static_cast<char*>(pool) + (1 << 20)) return nullptr;
                         void* block = next;
                         next += (bytes + 255) / 256 * 256;
                         blocks[block] = bytes;
                         return block;
                       },
                       .release =
                           [&](void* block, size_t bytes, void*) {
                             EXPECT_EQ(blocks.at(block), bytes);
                             blocks.erase(block);
                           }});
  Tensor x = there(from<float>({1, 2, 3}));
  auto f = compile([](Tensor a) { return sum(a * a); });
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{14}));
  Tensor y;
  const auto graph = captured([&] { y = f(x) + 1; });
  reset_allocator(cuda);
  EXPECT_EQ(after_replay(graph, y), (std::vector<float>{15}));
  const std::string text = refusal<DeviceError>([&] {
    set_allocator(cuda, {.allocate = [](size_t, void*) -> void* { return nullptr; }, .release = [](auto...) {}});
    (void)f(x);
  });
  reset_allocator(cuda);
  EXPECT_TRUE(contains(text, "gave no memory: 4 bytes asked for")) << text;
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{14})) << "and it goes on";
  y.reset();
  gpu().destroy_graph(graph);
  gpu().synchronize_all();
  empty_cache(cuda);
  EXPECT_EQ(blocks.size(), 1u) << "x is left";
  x.reset();
  EXPECT_TRUE(blocks.empty());
  gpu().release(pool, 1 << 20, nullptr);
}

}  // namespace
}  // namespace sinter::test
