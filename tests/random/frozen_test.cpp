// SPDX-License-Identifier: Apache-2.0
// Functions whose host code ran once draw what they would draw if it ran on every call.
#include <set>
#include <utility>
#include <vector>

#include "tests/saved/saved_file.h"

namespace sinter::test {
namespace {

std::pair<Tensor, Tensor> noisy(const Tensor& x) {
  (void)randn({1000});  // dead, and has a place all the same
  Tensor a = rand(x.shape());
  return {dropout(x + a, 0.3) - rand_like(x), a};
}

using Calls = std::vector<std::vector<uint64_t>>;

/// The bits of three calls after seeding with 7, with a draw of the program between them.
template <class F>
Calls three_calls(F& f, const Tensor& x) {
  manual_seed(7);
  Calls all;
  for (int call = 0; call < 3; ++call) {
    for (const Tensor& t : f(x)) all.push_back(bits<float>(t));
    all.push_back(bits<float>(rand({2})));
  }
  return all;
}

std::vector<Tensor> listed(const Tensor& x) {
  auto [a, b] = noisy(x);
  return {a, b};
}

TEST(FrozenDraws, SkippedHostCodeDrawsAsIfItRan) {
  const Tensor x = counting({5, 7});
  const Calls eager = three_calls(listed, x);
  EXPECT_EQ(std::set(eager.begin(), eager.end()).size(), eager.size());
  auto f = compile([](Tensor t) { return listed(t); }, {.host = Host::skip});
  EXPECT_EQ(three_calls(f, x), eager) << "the first call runs the host code";
  EXPECT_EQ(three_calls(f, x), eager);
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(FrozenDraws, WithoutResultsTheyHavePlaces) {
  auto f = compile(
      [](Tensor t) {
        (void)rand({2});
        (void)randn({2});
        return t;
      },
      {.host = Host::skip});
  const Tensor x = counting({3});
  manual_seed(5);
  for (uint64_t call = 1; call <= 3; ++call) {
    (void)f(x);
    EXPECT_EQ(random_state(), (RandomState{5, 2 * call}));
  }
}

TEST(FrozenDraws, ExtentsMayChange) {
  const auto run = [](Tensor t) { return std::vector<Tensor>{rand_like(t) + t, uniform(-1, 1, {3})}; };
  auto f = compile(run, {.host = Host::skip, .dynamic = Dynamic::always});
  for (const int64_t n : {4, 9, 33, 4}) {
    const Tensor x = counting({n});
    EXPECT_EQ(three_calls(f, x), three_calls(run, x)) << n;
  }
}

TEST(FrozenDraws, SavingDrawsNothing) {
  const SavedFile file;
  auto f = compile([](Tensor t) { return listed(t); });
  manual_seed(3);
  f.save(file.path(), counting({4}));
  EXPECT_EQ(random_state(), (RandomState{3, 0}));
}

#ifdef SINTER_WITH_LLVM

TEST(FrozenDraws, LoadedFunctionsDrawFromTheProcessesGenerator) {
  const SavedFile file;
  const Tensor x = counting({5, 7});
  compile([](Tensor t) { return listed(t); }).save(file.path(), x);
  const Loaded loaded = load(file.path());
  const auto f = [&](const Tensor& t) { return loaded({t}); };
  EXPECT_EQ(three_calls(f, x), three_calls(listed, x));
}

TEST(FrozenDraws, AFileOfDrawsAloneAdvancesTheGenerator) {
  const SavedFile file;
  compile([](Tensor t) {
    (void)rand({2});
    return t;
  }).save(file.path(), counting({3}));
  manual_seed(5);
  (void)load(file.path())({counting({3})});
  EXPECT_EQ(random_state(), (RandomState{5, 1}));
}

#endif

}  // namespace
}  // namespace sinter::test
