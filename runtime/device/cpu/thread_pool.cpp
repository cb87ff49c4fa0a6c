// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/device/cpu/float_mode.h"
#include "runtime/device/cpu/job.h"
#include "runtime/device/cpu/machine.h"
#include "runtime/device/environment.h"
#include "runtime/device/log.h"

namespace sinter::device::cpu {
namespace {

/// Whoever waits first spins this long: the next kernel, or the end of this one, is usually closer than a wake-up.
constexpr std::chrono::microseconds spin_time{40};
/// A slice is consumed in this many chunks, if the grain allows: what a descheduled thread can hold up.
constexpr int64_t chunks_per_slice = 8;
/// Callers beyond this many at once run alone.
constexpr size_t max_jobs = 16;

/// This thread is running a body.
thread_local bool inside = false;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#else
  std::this_thread::yield();
#endif
}

/// True as soon as done() is; false if that took longer than the spin time.
template <class Done>
bool spin_until(Done done) {
  const auto limit = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < limit);
  return false;
}

/// Runs everything on the calling thread.
void run_alone(int64_t n, Body body, void* context) {
  const FloatMode mode;
  struct Mark {
    bool before = std::exchange(inside, true);
    ~Mark() { inside = before; }
  } const mark;
  body(context, 0, n);
}

class Pool {
 public:
  /// Workers beside the caller. Nobody depends on them: jobs in flight end without help.
  ~Pool() { stop(); }

  void run(int64_t n, int64_t grain, int threads, Body body, void* context) {
    Job* job = nullptr;
    for (Job& candidate : jobs_)
      if (candidate.claim()) {
        job = &candidate;
        break;
      }
    if (job == nullptr) return run_alone(n, body, context);
    start(threads - 1);
    const auto slices = static_cast<int>(std::min<int64_t>(threads, (n + grain - 1) / grain));
    job->open(n, slices, std::max(grain, n / slices / chunks_per_slice), body, context);
    wake();
    {
      const FloatMode mode;
      inside = true;
      job->work(0);
      inside = false;
    }
    job->close();
    wait_until_deserted(*job);
    if (const std::exception_ptr error = job->finish()) std::rethrow_exception(error);
  }

 private:
  /// Makes the number of workers right, unless another caller is just doing that.
  void start(int workers) {
    if (worker_count_.load(std::memory_order_relaxed) == workers) return;
    const std::unique_lock lock(configure_, std::try_to_lock);
    if (!lock || worker_count_.load(std::memory_order_relaxed) == workers) return;
    stop();
    // With more threads than processors, spinning would take the processor from who has work.
    may_spin_.store(workers < usable_processors(), std::memory_order_relaxed);
    try {
      for (int i = 1; i <= workers; ++i) workers_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error& e) {
      warn(fmt::format("{} of {} threads could be started: {}", workers_.size(), workers, e.what()));
    }
    worker_count_.store(workers, std::memory_order_relaxed);  // what was asked for: no other attempt at the next kernel
  }

  void stop() {
    stopping_.store(true, std::memory_order_release);
    wake();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    worker_count_.store(0, std::memory_order_relaxed);
    stopping_.store(false, std::memory_order_release);
  }

  void wake() {
    generation_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
    {
      const std::lock_guard lock(sleep_);
    }  // who saw the old generation is asleep by now
    work_came_.notify_all();
  }

  void wait_until_deserted(Job& job) {
    const auto deserted = [&job] { return job.deserted(); };
    if (deserted() || (may_spin_.load(std::memory_order_relaxed) && spin_until(deserted))) return;
    job.announce_waiting();
    std::unique_lock lock(sleep_);
    worker_left_.wait(lock, deserted);
  }

  bool help_any(int index) {
    for (Job& job : jobs_) {
      bool last = false;
      const bool helped = job.help(index, last);
      if (last) {
        {
          const std::lock_guard lock(sleep_);
        }
        worker_left_.notify_all();
      }
      if (helped) return true;
    }
    return false;
  }

  void serve(int index) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's signal handlers run on the program's threads
#if defined(__linux__)
    pthread_setname_np(pthread_self(), ("sinter-" + std::to_string(index)).c_str());
#endif
    const FloatMode mode;
    inside = true;
    for (;;) {
      const uint32_t seen = generation_.load(std::memory_order_seq_cst);
      if (stopping_.load(std::memory_order_acquire)) return;
      if (help_any(index)) continue;
      const auto woken = [&] { return generation_.load(std::memory_order_seq_cst) != seen; };
      if (may_spin_.load(std::memory_order_relaxed) && spin_until(woken)) continue;
      std::unique_lock lock(sleep_);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      work_came_.wait(lock, woken);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  std::array<Job, max_jobs> jobs_;
  std::atomic<uint32_t> generation_{0};  ///< counts wake-ups
  std::atomic<int> sleepers_{0};
  std::atomic<int> worker_count_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> may_spin_{true};
  std::mutex sleep_;
  std::condition_variable work_came_, worker_left_;
  std::mutex configure_;
  std::vector<std::thread> workers_;
};

/// Far more than any machine has processors for; a mistyped number must not exhaust the system.
constexpr int most_threads = 1024;
std::atomic<int> chosen_threads{0};
/// False again once the pool is destroyed, at the end of the process; kernels then run on their caller.
std::atomic<bool> pool_lives{false};

struct ProcessPool {
  Pool pool;
  ProcessPool() { pool_lives.store(true); }
  ~ProcessPool() { pool_lives.store(false); }
};

Pool* process_pool() {
  static ProcessPool process;
  return pool_lives.load(std::memory_order_relaxed) ? &process.pool : nullptr;
}

}  // namespace

int thread_count() {
  int n = chosen_threads.load(std::memory_order_relaxed);
  if (n > 0) return n;
  n = std::min(environment().threads.value_or(usable_processors()), most_threads);
  int unset = 0;
  return chosen_threads.compare_exchange_strong(unset, n, std::memory_order_relaxed) ? n : unset;
}

void set_thread_count(int n) { chosen_threads.store(std::clamp(n, 0, most_threads), std::memory_order_relaxed); }

void parallel_for(int64_t n, int64_t grain, Body body, void* context) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int threads = thread_count();
  Pool* pool = threads == 1 || inside || n <= grain ? nullptr : process_pool();
  if (pool == nullptr) return run_alone(n, body, context);
  pool->run(n, grain, threads, body, context);
}

}  // namespace sinter::device::cpu
