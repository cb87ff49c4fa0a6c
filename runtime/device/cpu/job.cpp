// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/job.h"

#include <algorithm>
#include <utility>

namespace sinter::device::cpu {

bool Job::claim() {
  uint32_t idle = 0;
  return state_.compare_exchange_strong(idle, claimed_bit, std::memory_order_acq_rel);
}

void Job::open(int64_t n, int slices, int64_t chunk, Body body, void* context) {
  if (slices > slice_capacity_) {
    slices_ = std::make_unique<Slice[]>(static_cast<size_t>(slices));
    slice_capacity_ = slices;
  }
  const int64_t quotient = n / slices, rest = n % slices;  // not n * i / slices, which overflows
  int64_t begin = 0;
  for (int i = 0; i < slices; ++i) {
    slices_[static_cast<size_t>(i)].next.store(begin, std::memory_order_relaxed);
    begin += quotient + (i < rest ? 1 : 0);
    slices_[static_cast<size_t>(i)].end = begin;
  }
  body_ = body;
  context_ = context;
  chunk_ = chunk;
  slice_count_ = slices;
  failed_.store(false, std::memory_order_relaxed);
  state_.fetch_or(open_bit, std::memory_order_release);
}

bool Job::help(int preferred, bool& last_of_waited) {
  last_of_waited = false;
  if ((state_.load(std::memory_order_relaxed) & open_bit) == 0) return false;  // the usual answer, without a write
  const bool joined = (state_.fetch_add(1, std::memory_order_acquire) & open_bit) != 0;
  if (joined) work(preferred % slice_count_);
  const uint32_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  last_of_waited = (before & waiting_bit) != 0 && (before & workers_mask) == 1;
  return joined;
}

void Job::work(int first) noexcept {
  for (int k = 0; k < slice_count_; ++k) {
    Slice& slice = slices_[static_cast<size_t>((first + k) % slice_count_)];
    while (slice.next.load(std::memory_order_relaxed) < slice.end) {
      const int64_t begin = slice.next.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= slice.end || failed_.load(std::memory_order_relaxed)) break;
      try {
        body_(context_, begin, std::min(begin + chunk_, slice.end));
      } catch (...) {
        if (!failed_.exchange(true, std::memory_order_acq_rel)) error_ = std::current_exception();
      }
    }
  }
}

std::exception_ptr Job::finish() {
  std::exception_ptr error = std::exchange(error_, nullptr);
  state_.fetch_and(~(claimed_bit | waiting_bit), std::memory_order_release);
  return error;
}

}  // namespace sinter::device::cpu
