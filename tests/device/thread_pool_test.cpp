// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/thread_pool.h"

#include <gtest/gtest.h>
#include <sinter/error.h>
#include <sinter/stream.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter::device::cpu {
namespace {

/// parallel_for over a lambda.
template <class F>
void for_each_range(int64_t n, int64_t grain, F f) {
  parallel_for(n, grain, [](void* c, int64_t begin, int64_t end) { (*static_cast<F*>(c))(begin, end); }, &f);
}

class ThreadPool : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
  void TearDown() override { set_thread_count(0); }
};

TEST_P(ThreadPool, CoversEveryIndexOnce) {
  for (const int64_t n : {0, 1, 2, 3, 7, 16, 17, 1000, 65537})
    for (const int64_t grain : {1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
      for_each_range(n, grain, [&](int64_t begin, int64_t end) {
        ASSERT_LT(begin, end);
        for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
      });
      for (const auto& count : seen) ASSERT_EQ(count.load(), 1) << n << " with grain " << grain;
    }
}

TEST_P(ThreadPool, RangesAreNotShorterThanTheGrainButAtTheEndOfASlice) {
  std::atomic<int> shorter{0};
  for_each_range(10'000, 64, [&](int64_t begin, int64_t end) { shorter += end - begin < 64; });
  EXPECT_LE(shorter.load(), GetParam());
}

TEST_P(ThreadPool, HugeCountsDoNotOverflow) {
  std::atomic<int64_t> total{0};
  const int64_t n = int64_t{1} << 60;
  for_each_range(n, n / 64, [&](int64_t begin, int64_t end) { total += end - begin; });
  EXPECT_EQ(total.load(), n);
}

TEST_P(ThreadPool, NestedCallsRunOnTheirThread) {
  std::atomic<int64_t> total{0};
  for_each_range(64, 1, [&](int64_t begin, int64_t end) {
    const auto self = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i)
      for_each_range(100, 1, [&](int64_t b, int64_t e) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        total += e - b;
      });
  });
  EXPECT_EQ(total.load(), 6400);
}

TEST_P(ThreadPool, ManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 20; ++t)  // more than there are jobs
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        int64_t mine = 0;
        std::vector<int64_t> values(512);
        for_each_range(512, 1, [&](int64_t b, int64_t e) {
          for (int64_t i = b; i < e; ++i) values[static_cast<size_t>(i)] = i;
        });
        for (const int64_t v : values) mine += v;
        total += mine;
      }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(total.load(), int64_t{20} * 200 * 511 * 256);
}

TEST_P(ThreadPool, TheFirstExceptionReachesTheCaller) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int64_t> done{0};
    try {
      for_each_range(10'000, 1, [&](int64_t begin, int64_t end) {
        done += end - begin;
        if (begin <= 5000 && 5000 < end) throw std::runtime_error("program 5000");
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "program 5000");
    }
    int64_t after = 0;  // the pool works on
    for_each_range(1, 1, [&](int64_t, int64_t) { ++after; });
    EXPECT_EQ(after, 1);
  }
}

TEST_P(ThreadPool, TheCountMayChangeWhileOthersCall) {
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) {
      std::atomic<int64_t> n{0};
      for_each_range(1000, 1, [&](int64_t b, int64_t e) { n += e - b; });
      ASSERT_EQ(n.load(), 1000);
    }
  });
  for (int i = 0; i < 60; ++i) {
    set_thread_count(1 + i % 4);
    std::atomic<int64_t> n{0};
    for_each_range(1000, 1, [&](int64_t b, int64_t e) { n += e - b; });
    EXPECT_EQ(n.load(), 1000);
  }
  stop = true;
  caller.join();
}

#if defined(__x86_64__)
TEST_P(ThreadPool, BodiesKeepSubnormalsAndTheCallerItsMode) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x2000);  // flush to zero, denormals are zero, round down
  const unsigned chosen = _mm_getcsr();
  std::atomic<int> flushed{0}, rounded_down{0};
  for_each_range(1000, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      volatile float tiny = 1e-39f, one = 1.0f, third = 3.0f, minus = -1.0f;
      flushed += tiny * one == 0.0f;
      rounded_down += minus / third != -(one / third);
    }
  });
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(flushed.load(), 0);
  EXPECT_EQ(rounded_down.load(), 0);
  EXPECT_EQ(after & ~0x3fu, chosen & ~0x3fu);
}
#endif

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPool, testing::Values(1, 2, 4, 9));

TEST(ThreadPoolUse, WorkersTakePart) {
  set_thread_count(2);
  std::set<std::thread::id> threads;
  std::mutex mutex;
  // Each body waits until a second thread has come, so the test ends only if one does.
  for_each_range(2, 1, [&](int64_t, int64_t) {
    for (int i = 0; i < 20'000; ++i) {
      {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        if (threads.size() == 2) return;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  EXPECT_EQ(threads.size(), 2u);
  set_thread_count(0);
}

TEST(ThreadPoolUse, NumThreadsIsPublic) {
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  EXPECT_THROW(set_num_threads(0), UserError);
  EXPECT_EQ(num_threads(), 3);
  set_thread_count(0);
  EXPECT_GE(num_threads(), 1);
}

TEST(ThreadPool, MistypedNumbersDoNotExhaustTheSystem) {
  const int before = thread_count();
  set_thread_count(std::numeric_limits<int>::max());
  EXPECT_LE(thread_count(), 1024);
  set_thread_count(before);
}

}  // namespace
}  // namespace sinter::device::cpu
