// SPDX-License-Identifier: Apache-2.0
// Handles that other threads copy, touch and drop while their owner records, runs or throws.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "src/tensor/impl.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// Runs work on another thread next to the caller until told to stop.
class Beside {
 public:
  template <class F>
  explicit Beside(F work)
      : thread_([this, work] {
          while (!stop_.load(std::memory_order_acquire)) work();
        }) {}
  ~Beside() { stop(); }
  void stop() {
    stop_.store(true, std::memory_order_release);
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A handle passed from one thread to another: the receiver owns it.
class Mailbox {
 public:
  void put(Tensor t) { Tensor old = Tensor::adopt(handle_.exchange(t.detach(), std::memory_order_acq_rel)); }
  Tensor take() { return Tensor::adopt(handle_.exchange(nullptr, std::memory_order_acq_rel)); }
  ~Mailbox() { put({}); }

 private:
  std::atomic<tensor::TensorImpl*> handle_{nullptr};
};

TEST(Threads, DropHandlesWhileTheOwnerRecords) {
  Mailbox box;
  Beside dropper([&] { box.take(); });
  auto f = compile([&](Tensor x) {
    Tensor y = x;
    for (int i = 0; i < 30; ++i) {
      y = y + 1;
      if (i % 3 == 0) box.put(y * 2);
    }
    return y;
  });
  for (int call = 0; call < 200; ++call)
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{31, 32}));
}

TEST(Threads, AHandleThatOutlivesItsCallIsComputedWhoeverDropsIt) {
  Mailbox box;
  std::atomic<int> wrong{0}, read{0};
  Beside reader([&] {
    const Tensor t = box.take();
    if (!t.defined()) return;
    try {
      wrong += to_vector<float>(t) != std::vector<float>{4, 6};
      ++read;
    } catch (const UserError& e) {  // still recorded
      wrong += !contains(e.what(), "another thread");
    }
  });
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1;
    box.put(y * 2);
    return y;
  });
  for (int call = 0; call < 3000 || (read == 0 && call < 300'000); ++call) (void)f(from<float>({1, 2}));
  reader.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(read, 0);
}

TEST(Threads, CopiesAndQuestionsWhileTheOwnerRecords) {
  Mailbox box;
  std::atomic<int> wrong{0};
  Beside asker([&] {
    const Tensor t = box.take();
    if (!t.defined()) return;
    std::vector<Tensor> copies(5, t);
    for (int i = 0; i < 3; ++i) try {
        wrong += copies[1].shape() != Dims{2};
        wrong += t.dtype() != f32;
        wrong += !t.device().is_cpu();
        wrong += to_vector<float>(t + 1) != std::vector<float>{3, 4};
      } catch (const UserError& e) {
        wrong += !contains(e.what(), "another thread");
      }
  });
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1;
    for (int i = 0; i < 4; ++i) box.put(y * 1);
    return y * 2;
  });
  for (int call = 0; call < 1000; ++call)
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{4, 6}));
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, DropHandlesOfCallsThatThrow) {
  Mailbox box;
  Beside dropper([&] { box.take(); });
  auto f = compile([&](Tensor x, bool fail) {
    Tensor y = x + 1;
    box.put(y * 2);
    if (fail) throw std::runtime_error("mine");
    return y;
  });
  for (int call = 0; call < 1000; ++call)
    if (call % 2 == 0)
      EXPECT_EQ(to_vector<float>(f(from<float>({1}), false)), (std::vector<float>{2}));
    else
      EXPECT_THROW((void)f(from<float>({1}), true), std::runtime_error);
}

TEST(Threads, DropHandlesOfRegionsThatFail) {
  Mailbox box;
  Beside dropper([&] { box.take(); });
  auto f = compile([&](Tensor x, Tensor i) {
    box.put(x * 2);
    return index_select(x, 0, i);
  });
  const Tensor x = counting({5});
  for (int call = 0; call < 500; ++call) {
    EXPECT_EQ(to_vector<float>(f(x, from<int64_t>({4, 0}))), (std::vector<float>{4, 0}));
    EXPECT_FALSE(refusal<UserError>([&] { (void)f(x, from<int64_t>({5, 0})); }).empty());
  }
}

TEST(Threads, OwnersThatEndLeaveUsableHandles) {
  Mailbox box;
  std::atomic<int> wrong{0}, read{0};
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1;
    box.put(y);
    return y * 2;
  });
  Beside reader([&] {
    const Tensor t = box.take();
    if (!t.defined()) return;
    try {
      wrong += to_vector<float>(t) != std::vector<float>{2};
      ++read;
    } catch (const UserError& e) {
      wrong += !contains(e.what(), "another thread");
    }
  });
  for (int i = 0; i < 200 || (read == 0 && i < 20'000); ++i) std::thread([&] { (void)f(from<float>({1})); }).join();
  reader.stop();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(read, 0);
}

TEST(Threads, KeptHandlesAreComputedByWhoeverUsesThemFirst) {
  std::atomic<int> wrong{0};
  bool owner_uses = false;
  auto f = compile([&](Tensor x) {
    Tensor a = x + 1, b = x * 3;
    graph_break();
    const auto use = [&] {
      wrong += a.shape() != Dims{2};
      wrong += b.dtype() != f32;
      wrong += to_vector<float>(a + b) != std::vector<float>{5, 9};
      wrong += to_vector<float>(b) != std::vector<float>{3, 6};
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(use);
    Tensor c = owner_uses ? a * b : x;
    for (std::thread& t : threads) t.join();
    return c;
  });
  for (int call = 0; call < 200; ++call) {
    owner_uses = call % 2 == 1;
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))),
              owner_uses ? (std::vector<float>{6, 18}) : (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, KeptHandlesDropAndComputeAnywhere) {
  Mailbox box;
  std::atomic<int> wrong{0};
  Beside other([&] {
    const Tensor t = box.take();
    if (!t.defined()) return;
    try {
      wrong += t.shape() != Dims{2};
      wrong += to_vector<float>(t) != std::vector<float>{4, 6};
    } catch (const UserError& e) {
      wrong += !contains(e.what(), "another thread");
    }
  });
  int variety = 0;
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1, sum_of_steps = x;
    for (int i = 0; i < 3; ++i) {
      Tensor z = y * 2;
      if (variety % 2 == 0) box.put(z);
      Tensor kept = z - 1;
      for (int k = 0; k < variety % 3; ++k) kept = kept + 1;  // other paths, which learn for themselves
      graph_break();
      box.put(z);
      if (variety % 5 == 4) sum_of_steps = sum_of_steps + (kept - z);
    }
    return sum_of_steps;
  });
  for (variety = 0; variety < 600; ++variety) {
    const auto steps = static_cast<float>(variety % 5 == 4 ? 3 * (variety % 3 - 1) : 0);
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{1 + steps, 2 + steps})) << variety;
  }
  other.stop();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, AHandleThatDiesWhileABreakKeepsItIsForgotten) {
  auto f = compile([](Tensor x) {
    Tensor kept = x + 1;
    // What release() does on another thread, with the break in the middle.
    tensor::TensorImpl* t = kept.detach();
    tensor::PendingOwner* owner = t->pending.load();
    graph_break();
    std::thread([&] {
      ASSERT_TRUE(owner->forget(*t));
      tensor::recycle(t);
    }).join();
    return x;
  });
  for (int call = 0; call < 3; ++call) (void)f(from<float>({1, 2}));
  EXPECT_EQ(f.stats().launches, 0) << "nothing was left to compute at the end";
}

/// Another thread computes the only handle of a recipe, which the owner then puts aside for the next break, without a
/// word between the two that would order them: for the thread sanitizer.
TEST(Threads, AFunctionMayGoAsSoonAsItsLastKeptHandleIsComputed) {
  Mailbox box;
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  Tensor last;  // not released, which would order the threads
  Beside reader([&] {
    Tensor t = box.take();
    if (!t.defined()) return;
    last = std::move(t);
    wrong.fetch_add(to_vector<float>(last) != std::vector<float>{2, 3}, std::memory_order_relaxed);
    done.store(true, std::memory_order_relaxed);
  });
  for (int call = 0; call < 20; ++call) {
    done.store(false, std::memory_order_relaxed);
    auto f = compile([&](Tensor x) {
      Tensor y = x + 1;
      graph_break();
      std::vector<Tensor> kept;
      for (int i = 0; i < 7; ++i) {
        kept.push_back(x * 2);
        graph_break();
      }
      box.put(std::move(y));
      while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
      kept[3] = x * 2;  // so there is another recipe to reuse
      graph_break();    // so many are in use that the finished ones are looked for
      kept.clear();
    });
    f(from<float>({1, 2}));
  }
  reader.stop();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, AddressesTakenElsewhereFirstComputeWhatIsKept) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    graph_break();
    std::thread([&] { *static_cast<float*>(x.data_ptr()) = 100; }).join();
    return y;
  });
  for (int call = 0; call < 100; ++call)
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{2, 3}));
}

}  // namespace
}  // namespace sinter::test
