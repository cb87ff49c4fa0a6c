// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "runtime/device/cpu/thread_pool.h"

namespace sinter::device::cpu {

/// One parallel_for in flight. Jobs belong to the pool and are reused, so a worker that looks at one too late touches
/// valid memory, finds it closed and goes away.
///
/// Life: idle -> claimed by a caller, who fills it in -> open: workers join -> closed when all ranges are handed out ->
/// idle again once the last worker has left.
class alignas(64) Job {
 public:
  /// Takes an idle job; false if it is not idle.
  bool claim();
  /// Lets workers join. `slices` ranges of [0, n), handed out in chunks.
  void open(int64_t n, int slices, int64_t chunk, Body body, void* context);
  /// Joins and helps, starting with slice `preferred`; false if there was nothing to join.
  bool help(int preferred, bool& last_of_waited);
  /// Runs chunks until none is left, starting with slice `first`.
  void work(int first) noexcept;
  /// No further worker may join.
  void close() { state_.fetch_and(~open_bit, std::memory_order_acq_rel); }
  /// Has every worker left? After close().
  bool deserted() const { return (state_.load(std::memory_order_acquire) & workers_mask) == 0; }
  /// Asks the last worker to say so (`last_of_waited` above).
  void announce_waiting() { state_.fetch_or(waiting_bit, std::memory_order_seq_cst); }
  /// Gives the job back and returns the exception of a body, if any. After deserted().
  std::exception_ptr finish();

 private:
  static constexpr uint32_t claimed_bit = 1u << 31, open_bit = 1u << 30, waiting_bit = 1u << 29;
  static constexpr uint32_t workers_mask = waiting_bit - 1;

  /// On a cache line of its own: its owner counts through it without disturbing anybody.
  struct alignas(64) Slice {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  std::atomic<uint32_t> state_{0};
  std::atomic<bool> failed_{false};
  Body body_ = nullptr;
  void* context_ = nullptr;
  int64_t chunk_ = 1;
  int slice_count_ = 0;
  int slice_capacity_ = 0;
  std::unique_ptr<Slice[]> slices_;
  std::exception_ptr error_;
};

}  // namespace sinter::device::cpu
