// SPDX-License-Identifier: Apache-2.0
// A program draws the same numbers however it is run.
#include <functional>
#include <set>
#include <thread>

#include "runtime/device/backend.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// The bits that `run` returns after seeding with 7.
std::vector<uint64_t> seeded(const std::function<Tensor()>& run) {
  manual_seed(7);
  return bits<float>(run());
}

Tensor drawn(const Tensor& x) {
  Tensor a = rand({5, 7});
  Tensor b = randn({5, 7}) * 2 + a;
  return dropout(x + b, 0.3) - rand_like(x);
}

TEST(RandomPrograms, EagerAndCompiledDrawTheSame) {
  const Tensor x = counting({5, 7});
  const auto eager = seeded([&] { return drawn(x); });
  for (const Fusion fusion : {Fusion::all, Fusion::vertical, Fusion::none}) {
    auto f = compile([](Tensor t) { return drawn(t); }, {.fusion = fusion});
    for (int call = 0; call < 3; ++call) EXPECT_EQ(seeded([&] { return f(x); }), eager) << call;
    EXPECT_EQ(f.stats().compilations, 1) << "the place in the sequence is no literal";
  }
  auto interpreted = compile([](Tensor t) { return drawn(t); }, {.backend = "reference"});
  EXPECT_EQ(seeded([&] { return interpreted(x); }), eager);
}

TEST(RandomPrograms, CallsGoOnInTheSequence) {
  auto f = compile([](Tensor x) { return x + rand({4}); });
  const Tensor zero = zeros({4});
  manual_seed(3);
  std::set<std::vector<uint64_t>> results;
  for (int call = 0; call < 5; ++call) results.insert(bits<float>(f(zero)));
  EXPECT_EQ(results.size(), 5u);
  EXPECT_EQ(random_state(), (RandomState{3, 5}));
  set_random_state({3, 2});
  EXPECT_TRUE(results.contains(bits<float>(f(zero))));
  EXPECT_EQ(random_state(), (RandomState{3, 3}));
}

TEST(RandomPrograms, TwoDrawsAreNeverOne) {
  auto f = compile([](Tensor x) { return x + rand({8}) - rand({8}); });
  manual_seed(1);
  for (const float v : to_vector<float>(f(zeros({8})))) EXPECT_NE(v, 0);
}

TEST(RandomPrograms, DeadDrawsAdvanceAsWell) {
  auto f = compile([](Tensor x) {
    Tensor unused = randn({1000});
    return x + rand({3});
  });
  const auto eager = seeded([] {
    (void)randn({1000});
    return zeros({3}) + rand({3});
  });
  EXPECT_EQ(seeded([&] { return f(zeros({3})); }), eager);
  auto nothing = compile([](Tensor x) {
    (void)rand({2});
    return x;
  });
  manual_seed(5);
  (void)nothing(zeros({1}));
  EXPECT_EQ(random_state(), (RandomState{5, 1}));
}

TEST(RandomPrograms, BreaksAndKeptValuesChangeNothing) {
  const auto run = [](const Tensor& x, int breaks) {
    Tensor a = rand({6}), b = a * x;
    if (breaks & 1) graph_break();
    Tensor c = randn({6});
    if (breaks & 2) (void)item<float>(sum(x));
    Tensor d = dropout(c + a, 0.5);
    if (breaks & 4) (void)to_vector<float>(c);
    return d + b * rand_like(a);
  };
  const Tensor x = counting({6});
  const auto expected = seeded([&] { return run(x, 0); });
  auto f = compile([&](Tensor t, int breaks) { return run(t, breaks); });
  for (int breaks = 0; breaks < 8; ++breaks)
    for (int call = 0; call < 3; ++call) EXPECT_EQ(seeded([&] { return f(x, breaks); }), expected) << breaks;
}

TEST(RandomPrograms, SeedingInsideIsAPlaceInTheProgram) {
  const auto run = [] {
    Tensor a = rand({4});
    manual_seed(9);
    return a - rand({4});
  };
  auto f = compile([&](Tensor x) { return x + run(); });
  const auto eager = seeded([&] { return zeros({4}) + run(); });
  for (int call = 0; call < 2; ++call) EXPECT_EQ(seeded([&] { return f(zeros({4})); }), eager);
  manual_seed(9);
  EXPECT_EQ(random_state(), (RandomState{9, 0}));
}

TEST(RandomPrograms, ShapesAndNumbersBecomeRunTimeOnes) {
  auto f = compile([](Tensor x, double p) { return dropout(x, p) + uniform(-p, p, x.shape()); });
  for (const auto& [n, p] : {std::pair<int64_t, double>{3, 0.5}, {5, 0.25}, {7, 0.5}, {1000, 0.75}, {1, 0.1}}) {
    const Tensor x = counting({n});
    const auto eager = seeded([&] { return dropout(x, p) + uniform(-p, p, x.shape()); });
    EXPECT_EQ(seeded([&] { return f(x, p); }), eager) << n;
  }
  EXPECT_LE(f.stats().compilations, 4);
}

TEST(RandomPrograms, ReasonsForRecompilingAreNotThePlaceInTheSequence) {
  auto f = compile([](Tensor x, double scale) { return rand({3}) * scale + x; });
  (void)f(zeros({3}), 2.0);
  (void)f(zeros({3}), 3.0);
  const Explanation e = f.explain(zeros({3}), 4.0);
  ASSERT_EQ(e.recompiles.size(), 1u);
  EXPECT_TRUE(contains(e.recompiles[0], "was 2, now 3")) << e.recompiles[0];
}

TEST(RandomPrograms, ViewsKeepTheElements) {
  auto f = compile([](Tensor x) { return transpose(rand({3, 4}), 0, 1) + x; });
  const auto eager = seeded([] { return transpose(rand({3, 4}), 0, 1) + zeros({4, 3}); });
  EXPECT_EQ(seeded([&] { return f(zeros({4, 3})); }), eager);
}

TEST(RandomPrograms, ThreadsShareTheSequence) {
  manual_seed(11);
  constexpr int threads = 4, calls = 50;
  std::vector<std::vector<uint64_t>> drawn_by[threads];
  std::vector<std::thread> running;
  for (auto& mine : drawn_by)
    running.emplace_back([&mine] {
      auto f = compile([](Tensor x) { return x + rand({3}); });
      for (int call = 0; call < calls; ++call) mine.push_back(bits<float>(f(zeros({3}))));
    });
  for (std::thread& t : running) t.join();
  std::set<std::vector<uint64_t>> all;
  for (const auto& mine : drawn_by) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), size_t{threads * calls}) << "each call has numbers of its own";
  EXPECT_EQ(random_state(), (RandomState{11, threads * calls}));
}

// A stream under capture, here of the CPU: replays draw what the program would have drawn.
TEST(RandomPrograms, ReplaysOfACaptureDrawOn) {
  device::Backend& backend = device::backend(Device::cpu());
  auto f = compile([](Tensor x) {
    (void)rand({3});
    return x + rand({4}) * randn({4});
  });
  const Tensor x = zeros({4});
  manual_seed(21);
  std::vector<std::vector<uint64_t>> expected;
  for (int call = 0; call < 4; ++call) expected.push_back(bits<float>(f(x)));

  manual_seed(21);
  const device::StreamHandle stream = backend.create_stream();
  device::StreamHandle before = device::exchange_current_stream(Device::cpu(), stream);
  backend.begin_capture(stream);
  const Tensor y = f(x);
  EXPECT_THROW(manual_seed(1), UserError);
  const device::GraphHandle graph = backend.end_capture(stream);
  EXPECT_EQ(random_state(), (RandomState{21, 0})) << "nothing ran yet";
  for (int replay = 0; replay < 3; ++replay) {
    backend.launch_graph(graph, stream);
    EXPECT_EQ(bits<float>(y), expected[static_cast<size_t>(replay)]) << replay;
  }
  EXPECT_EQ(random_state(), (RandomState{21, 9}));
  EXPECT_EQ(bits<float>(f(x)), expected[3]) << "the sequence goes on behind the replays";
  manual_seed(21);
  backend.launch_graph(graph, stream);
  EXPECT_EQ(bits<float>(y), expected[0]) << "seeding reaches the captured work";
  backend.destroy_graph(graph);
  device::exchange_current_stream(Device::cpu(), before);
  backend.destroy_stream(stream);
  set_random_state({21, 3});
  EXPECT_EQ(bits<float>(f(x)), expected[1]);
}

}  // namespace
}  // namespace sinter::test
