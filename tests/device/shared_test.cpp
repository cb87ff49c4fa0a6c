// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/callback.h>
#include <sinter/shared.h>

#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter {
namespace {

struct Counted {
  explicit Counted(int& n) : alive(&n) { ++*alive; }
  ~Counted() { --*alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int* alive;
};

TEST(Shared, DestroysWithTheLastHandle) {
  int alive = 0;
  Shared<Counted> a(new Counted(alive));
  Shared<const void> b = a, c;
  EXPECT_EQ(b.get(), a.get());
  c = b;
  a = nullptr;
  b = std::move(c);
  EXPECT_FALSE(a);
  EXPECT_FALSE(c);  // NOLINT(bugprone-use-after-move): moved from is empty
  EXPECT_EQ(alive, 1);
  b = Shared<const void>(b);
  EXPECT_EQ(alive, 1);
  b = nullptr;
  EXPECT_EQ(alive, 0);
}

TEST(Shared, CountsAcrossThreads) {
  int alive = 0;
  Shared<Counted> object(new Counted(alive));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([object] {
      for (int i = 0; i < 20000; ++i) {
        const Shared<Counted> copy = object;
        EXPECT_EQ(*copy->alive, 1);
      }
    });
  object = nullptr;
  for (auto& t : threads) t.join();
  threads.clear();
  EXPECT_EQ(alive, 0);
}

int twice(int x) { return 2 * x; }

TEST(Callback, TakesAnyFunction) {
  using Call = Callback<int(int)>;
  EXPECT_FALSE(Call());
  EXPECT_FALSE(Call(nullptr));
  EXPECT_FALSE(Call(std::function<int(int)>()));
  EXPECT_FALSE(Call(static_cast<int (*)(int)>(nullptr)));
  EXPECT_EQ(Call(twice)(4), 8);
  EXPECT_EQ(Call(std::function<int(int)>(twice))(5), 10);
  EXPECT_EQ(Call([p = std::make_unique<int>(3)](int x) { return x + *p; })(4), 7);
  static_assert(!std::is_constructible_v<Call, int (*)(void*)> && !std::is_constructible_v<Call, int>);
}

TEST(Callback, SharesItsStateAndPassesReferences) {
  Callback<void(std::vector<int>&)> add = [n = 0](std::vector<int>& to) mutable { to.push_back(++n); };
  const Callback<void(std::vector<int>&)> copy = add;
  std::vector<int> got;
  add(got);
  copy(got);
  add = nullptr;
  copy(got);
  EXPECT_EQ(got, (std::vector<int>{1, 2, 3}));
}

TEST(Callback, DestroysWhatItHolds) {
  int alive = 0;
  {
    const auto object = std::make_shared<Counted>(alive);
    const Callback<int()> f = [object] { return *object->alive; };
    const Callback<int()> g = f;
    EXPECT_EQ(g(), 1);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace sinter
