// SPDX-License-Identifier: Apache-2.0
#include "src/capture/entry.h"

namespace sinter::capture {

bool Entry::symbols_hold(std::span<const int64_t> key) const {
  for (int32_t p : extent_symbols)
    if (const int64_t v = key[static_cast<size_t>(p)]; v < 2 || v > graph::max_extent) return false;
  for (auto [a, b] : equal)
    if (key[static_cast<size_t>(a)] != key[static_cast<size_t>(b)]) return false;
  for (const auto& [a, b] : assumptions) {
    auto value = [&](graph::Expr leaf) { return key[static_cast<size_t>(leaf.id())]; };
    if (graph::evaluate(a, value) != graph::evaluate(b, value)) return false;
  }
  return true;
}

EntryList::~EntryList() {
  for (Entry* e = first_.load(std::memory_order_relaxed); e != nullptr;) {
    Entry* next = e->next.load(std::memory_order_relaxed);
    delete e;
    e = next;
  }
}

Entry* EntryList::find(std::span<const int64_t> key) const {
  Entry* hit = last_hit_.load(std::memory_order_acquire);
  if (hit != nullptr && hit->matches(key)) return hit;
  for (Entry* e = first_.load(std::memory_order_acquire); e != nullptr; e = e->next.load(std::memory_order_acquire))
    if (e != hit && e->matches(key)) {
      last_hit_.store(e, std::memory_order_release);
      return e;
    }
  return nullptr;
}

void EntryList::append(std::unique_ptr<Entry> entry) {
  entry->number = size() + 1;
  std::atomic<Entry*>* link = &first_;
  while (Entry* e = link->load(std::memory_order_acquire)) link = &e->next;
  link->store(entry.release(), std::memory_order_release);
  size_.fetch_add(1, std::memory_order_release);
}

std::vector<Entry*> EntryList::all() const {
  std::vector<Entry*> entries;
  for (Entry* e = first_.load(std::memory_order_acquire); e != nullptr; e = e->next.load(std::memory_order_acquire))
    entries.push_back(e);
  return entries;
}

}  // namespace sinter::capture
