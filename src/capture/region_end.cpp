// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_end.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

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

OutputSet* make_set(std::vector<int32_t> slots) {
  auto* set = new OutputSet;
  set->outputs = std::move(slots);
  return set;
}

/// Live slots that are views of one value, with that value; what may be a copy on the way to it (reshape) is stored as
/// well, since views of a copy share that.
std::vector<std::vector<int32_t>> shared_memory(const TraceNode& last, std::span<const int32_t> live,
                                                std::span<const RegionWrite> writes) {
  struct Views {
    int live = 0;
    std::vector<int32_t> slots;
  };
  const auto path = path_to(&last);
  std::map<int32_t, Views> by_root;
  for (const int32_t slot : live) {
    std::vector<int32_t> slots{slot};
    OperandCode at = slot, root = -1;
    for (; at >= 0; at = path[static_cast<size_t>(at)]->operands[0]) {
      const graph::OpDef& op = *path[static_cast<size_t>(at)]->op;
      const bool of_input = std::ranges::find(writes, at, &RegionWrite::slot) != writes.end();
      if (of_input) break;
      if (op.scatter == nullptr || op.may_copy) {
        root = at;
        slots.push_back(at);
      }
      if (op.scatter == nullptr) break;
    }
    if (root < 0) continue;  // views of inputs
    Views& views = by_root[root];
    ++views.live;
    views.slots.insert(views.slots.end(), slots.begin(), slots.end());
  }
  std::vector<std::vector<int32_t>> shared;
  for (auto& [root, views] : by_root) {
    if (views.live < 2) continue;
    std::ranges::sort(views.slots);
    views.slots.erase(std::ranges::unique(views.slots).begin(), views.slots.end());
    shared.push_back(std::move(views.slots));
  }
  return shared;
}

std::vector<int32_t> with_shared(const RegionEnd& end, std::span<const int32_t> slots) {
  std::vector<int32_t> all(slots.begin(), slots.end());
  for (const std::vector<int32_t>& group : end.shared) {
    if (std::ranges::none_of(group, [&](int32_t s) { return std::ranges::binary_search(slots, s); })) continue;
    std::vector<int32_t> together;
    std::ranges::set_union(all, group, std::back_inserter(together));
    all = std::move(together);
  }
  return all;
}

}  // namespace

RegionEnd::RegionEnd(const TraceNode& last, std::span<const int32_t> live_slots, int32_t demand,
                     std::span<const RegionWrite> region_writes)
    : live(live_slots.begin(), live_slots.end()),
      demanded(demand),
      writes(region_writes.begin(), region_writes.end()),
      shared(live.size() < 2 ? std::vector<std::vector<int32_t>>() : shared_memory(last, live, writes)) {
  OutputSet* first = demand == demand_everything ? make_set(with_shared(*this, live))
                     : demand == demand_nothing  ? make_set({})
                                                 : make_set(with_shared(*this, {&demand, 1}));
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

RegionEnd& end_at(TraceNode& node, std::span<const int32_t> live, int32_t demanded, std::span<const RegionWrite> writes,
                  std::mutex& grow) {
  return find_or_append(
      node.first_end, grow,
      [&](const RegionEnd& e) { return e.demanded == demanded && std::ranges::equal(e.live, live); },
      [&] { return new RegionEnd(node, live, demanded, writes); });
}

OutputSet& output_set(RegionEnd& end, std::span<const int32_t> wanted, std::mutex& grow) {
  const std::vector<int32_t> slots = with_shared(end, wanted);
  return find_or_append(
      end.sets, grow, [&](const OutputSet& s) { return s.outputs == slots; }, [&] { return make_set(slots); });
}

}  // namespace sinter::capture
