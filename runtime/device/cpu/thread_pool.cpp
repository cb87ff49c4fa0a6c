// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter::device::cpu {
namespace {

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Rounds to nearest and keeps subnormals while kernels run; restores the caller's mode.
class FloatingPointMode {
 public:
  FloatingPointMode() {
#if defined(__x86_64__)
    saved_ = _mm_getcsr();
    _mm_setcsr(0x1f80);
#else
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
#endif
  }
  ~FloatingPointMode() {
#if defined(__x86_64__)
    _mm_setcsr(saved_);
#else
    std::fesetenv(&saved_);
#endif
  }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 private:
#if defined(__x86_64__)
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

struct Job {
  Body body = nullptr;
  void* context = nullptr;
  int64_t n = 0;
  int parts = 0;
};

thread_local bool inside = false;

void run_part(const Job& job, int part, std::exception_ptr& error) {
  const int64_t begin = job.n * part / job.parts, end = job.n * (part + 1) / job.parts;
  if (begin == end) return;
  const FloatingPointMode mode;
  inside = true;
  try {
    job.body(job.context, begin, end);
  } catch (...) {
    error = std::current_exception();
  }
  inside = false;
}

/// Workers spin briefly after each job (the next one usually follows at once) and then sleep.
class Pool {
 public:
  explicit Pool(int threads) {
    errors_.resize(static_cast<size_t>(threads));
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  }
  ~Pool() {
    {
      std::scoped_lock lock(mutex_);
      stop_.store(true);
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void run(const Job& job) {
    job_ = job;
    std::ranges::fill(errors_, nullptr);
    remaining_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    {
      std::scoped_lock lock(mutex_);
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    run_part(job, 0, errors_[0]);
    while (remaining_.load(std::memory_order_acquire) != 0) pause();
    for (const std::exception_ptr& e : errors_)
      if (e) std::rethrow_exception(e);
  }

 private:
  static constexpr int spins = 2000;

  void work(int index) {
    uint64_t seen = 0;
    for (;;) {
      for (int i = 0; i < spins && generation_.load(std::memory_order_acquire) == seen; ++i) pause();
      if (generation_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
      }
      ++seen;
      if (stop_.load()) return;
      if (index < job_.parts) run_part(job_, index, errors_[static_cast<size_t>(index)]);
      remaining_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> errors_;
  Job job_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> remaining_{0};
  std::atomic<bool> stop_{false};
};

struct Shared {
  std::mutex use;  ///< one job at a time; who finds it taken runs alone
  std::unique_ptr<Pool> pool;
  std::atomic<int> threads{0};
};

Shared& shared() {
  static auto* s = new Shared;  // never destroyed: kernels may run in static destructors
  return *s;
}

int default_threads() {
  if (const char* v = std::getenv("SINTER_NUM_THREADS"))
    if (const int n = std::atoi(v); n > 0) return n;
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

int thread_count() {
  Shared& s = shared();
  int n = s.threads.load(std::memory_order_relaxed);
  if (n == 0) {
    n = default_threads();
    s.threads.store(n, std::memory_order_relaxed);
  }
  return n;
}

void set_thread_count(int n) {
  Shared& s = shared();
  std::scoped_lock lock(s.use);
  s.threads.store(n < 1 ? default_threads() : n, std::memory_order_relaxed);
  s.pool.reset();
}

void parallel_for(int64_t n, int64_t grain, Body body, void* context) {
  if (n <= 0) return;
  const auto wanted = static_cast<int>(std::min<int64_t>(thread_count(), (n + grain - 1) / std::max<int64_t>(grain, 1)));
  Job job{body, context, n, wanted};
  Shared& s = shared();
  std::unique_lock lock(s.use, std::defer_lock);
  if (wanted <= 1 || inside || !lock.try_lock()) {
    job.parts = 1;
    std::exception_ptr error;
    const bool nested = inside;
    run_part(job, 0, error);
    inside = nested;
    if (error) std::rethrow_exception(error);
    return;
  }
  if (!s.pool) s.pool = std::make_unique<Pool>(thread_count());
  s.pool->run(job);
}

}  // namespace sinter::device::cpu
