// SPDX-License-Identifier: Apache-2.0
#include "src/capture/frozen_calls.h"

#include <algorithm>

namespace sinter::capture {
namespace {

bool fits(const Frozen& f, std::span<const int64_t> words, std::span<const int64_t> key) {
  return std::ranges::equal(f.words, words) && f.call.signature.matches(key);
}

}  // namespace

FrozenCalls::~FrozenCalls() {
  for (Frozen* f = first_.load(std::memory_order_relaxed); f != nullptr;) {
    Frozen* next = f->next.load(std::memory_order_relaxed);
    delete f;
    f = next;
  }
}

const Frozen* FrozenCalls::find(std::span<const int64_t> words, std::span<const int64_t> key) const {
  const Frozen* hit = last_hit_.load(std::memory_order_acquire);
  if (hit != nullptr && fits(*hit, words, key)) return hit;
  for (const Frozen* f = first_.load(std::memory_order_acquire); f != nullptr;
       f = f->next.load(std::memory_order_acquire))
    if (f != hit && fits(*f, words, key)) {
      last_hit_.store(f, std::memory_order_release);
      return f;
    }
  return nullptr;
}

void FrozenCalls::append(std::unique_ptr<Frozen> frozen) {
  std::atomic<Frozen*>* link = &first_;
  while (Frozen* f = link->load(std::memory_order_acquire)) link = &f->next;
  last_hit_.store(frozen.get(), std::memory_order_release);
  link->store(frozen.release(), std::memory_order_release);
  size_.fetch_add(1, std::memory_order_release);
}

}  // namespace sinter::capture
