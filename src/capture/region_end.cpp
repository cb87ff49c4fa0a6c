// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_end.h"

#include <algorithm>

namespace sinter::capture {
namespace {

/// Finds a member of an append-only list, or appends what `make` gives. Readers take no lock.
template <class T, class Is, class Make>
T& find_or_append(std::atomic<T*>& first, std::mutex& grow, const Is& is, const Make& make) {
  for (T* t = first.load(std::memory_order_acquire); t != nullptr; t = t->next.load(std::memory_order_acquire))
    if (is(*t)) return *t;
  std::scoped_lock lock(grow);
  std::atomic<T*>* link = &first;
  while (T* t = link->load(std::memory_order_acquire)) {
    if (is(*t)) return *t;
    link = &t->next;
  }
  T* made = make();
  link->store(made, std::memory_order_release);
  return *made;
}

OutputSet* make_set(std::span<const int32_t> slots) {
  auto* set = new OutputSet;
  set->outputs.assign(slots.begin(), slots.end());
  return set;
}

}  // namespace

RegionEnd::RegionEnd(std::span<const int32_t> live_slots, int32_t demand)
    : live(live_slots.begin(), live_slots.end()), demanded(demand) {
  OutputSet* first = demand == demand_everything ? make_set(live)
                     : demand == demand_nothing  ? make_set({})
                                                 : make_set({&demand, 1});
  sets.store(first, std::memory_order_relaxed);
  stored.store(first, std::memory_order_relaxed);
}

RegionEnd::~RegionEnd() {
  for (OutputSet* s = sets.load(std::memory_order_relaxed); s != nullptr;) {
    OutputSet* following = s->next.load(std::memory_order_relaxed);
    delete s;
    s = following;
  }
}

RegionEnd& end_at(TraceNode& node, std::span<const int32_t> live, int32_t demanded, std::mutex& grow) {
  return find_or_append(
      node.first_end, grow,
      [&](const RegionEnd& e) { return e.demanded == demanded && std::ranges::equal(e.live, live); },
      [&] { return new RegionEnd(live, demanded); });
}

OutputSet& output_set(RegionEnd& end, std::span<const int32_t> slots, std::mutex& grow) {
  return find_or_append(
      end.sets, grow, [&](const OutputSet& s) { return std::ranges::equal(s.outputs, slots); },
      [&] { return make_set(slots); });
}

}  // namespace sinter::capture
