// SPDX-License-Identifier: Apache-2.0
#include "src/lower/write_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/graph/seeded_fault.h"
#include "src/loop/address.h"
#include "src/loop/dependence.h"

namespace sinter::lower {
namespace {

using graph::NodeId;

class WriteOrder {
 public:
  explicit WriteOrder(WrittenPlan& plan) : w_(plan), groups_(plan.plan.groups) {
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const NodeId root : groups_[g].roots) group_of_[root] = g;
    before_.resize(groups_.size());
  }

  std::vector<size_t> run() {
    std::vector<size_t> conflicts;
    for (size_t s = 0; s < w_.stores.size(); ++s)
      if (!fits_its_kernel(s)) conflicts.push_back(s);
    if (!conflicts.empty()) return conflicts;
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const NodeId read : groups_[g].reads)
        if (const auto writer = group_of_.find(read); writer != group_of_.end()) require(writer->second, g);
    for (size_t s = 0; s < w_.stores.size(); ++s) require_readers_first(s);
    return sort();
  }

 private:
  size_t group(size_t store) const { return group_of_.at(w_.stores[store].node); }
  NodeId input_of(size_t store) const { return w_.graph.inputs()[static_cast<size_t>(w_.stores[store].input)].node; }
  void require(size_t first, size_t then) {
    if (first != then) before_[then].insert(first);
  }

  bool is_first(size_t store) const {
    for (size_t s = 0; s < store; ++s)
      if (w_.stores[s].input == w_.stores[store].input) return false;
    return true;
  }

  /// May the store's own kernel read what it reads? Only the first store to a memory has a kernel that reads it, where
  /// it stores. (What a fold or a scan reads may be read by others than the program that stores.)
  bool fits_its_kernel(size_t store) const {
    const PlannedGroup& g = groups_[group(store)];
    for (size_t s = 0; s < store; ++s)
      if (w_.stores[s].input == w_.stores[store].input && group(s) == group(store)) return false;
    if (!g.reads.contains(input_of(store))) return true;
    const bool spreads =
        std::ranges::any_of(g.nest.axes, &loop::Axis::reduction) || loop::scan_axis(g.nest).has_value();
    if (g.is_call || spreads || !is_first(store)) return false;
    const loop::Store& stored = g.store_of(w_.stores[store].node);
    const std::vector<bool> live = loop::live_instructions(g.nest);
    for (size_t i = 0; i < live.size(); ++i) {
      const loop::Instruction& in = g.nest.body[static_cast<loop::ValueId>(i)];
      if (live[i] && in.kind == loop::InstructionKind::load && in.id == input_of(store) &&
          !same_element(w_.graph, w_.stores[store], g.nest, in.index, stored.index))
        return false;
    }
    return true;
  }

  void require_readers_first(size_t store) {
    if (planted(graph::Fault::written_too_early)) return;  // tests only
    const size_t own = group(store);
    const auto reads = [&](const PlannedGroup& g) {
      if (!w_.stores[store].overlapped) return g.reads.contains(input_of(store));
      return std::ranges::any_of(w_.graph.inputs(), [&](graph::Value v) { return g.reads.contains(v.node); });
    };
    for (size_t g = 0; g < groups_.size(); ++g)
      if (reads(groups_[g])) require(g, own);
    for (size_t s = 0; s < store; ++s)
      if (w_.stores[s].input == w_.stores[store].input || w_.stores[store].overlapped) require(group(s), own);
  }

  /// The first group that waits for none, again and again. What is left in the end waits for itself.
  std::vector<size_t> sort() {
    std::vector<PlannedGroup> sorted;
    std::vector<bool> done(groups_.size());
    for (size_t g = 0; g < groups_.size();) {
      const bool ready = !done[g] && std::ranges::all_of(before_[g], [&](size_t b) { return done[b]; });
      if (!ready) {
        ++g;
        continue;
      }
      done[g] = true;
      order_.push_back(g);
      g = 0;
    }
    std::vector<size_t> stuck;
    for (size_t s = 0; s < w_.stores.size(); ++s)
      if (!done[group(s)]) stuck.push_back(s);
    if (order_.size() < groups_.size()) return stuck;
    for (const size_t g : order_) sorted.push_back(std::move(groups_[g]));
    groups_ = std::move(sorted);
    return {};
  }

  WrittenPlan& w_;
  std::vector<PlannedGroup>& groups_;
  std::map<NodeId, size_t> group_of_;
  std::vector<std::set<size_t>> before_;
  std::vector<size_t> order_;
};

}  // namespace

std::vector<size_t> order_writes(WrittenPlan& plan) { return WriteOrder(plan).run(); }

bool same_element(const graph::Graph& g, const InPlaceStore& store, const loop::Nest& nest,
                  const std::vector<graph::Expr>& loaded_at, const std::vector<graph::Expr>& stored_at) {
  const graph::Value written = g.inputs()[static_cast<size_t>(store.input)];
  if (g.type(written).dtype != g.type({store.node, 0}).dtype) return false;
  const graph::Ranges ranges = loop::nest_ranges(nest, g.ranges);
  const graph::Layout& input = g.input_layout(static_cast<size_t>(store.input));
  const auto address = [&](const graph::Layout& layout, const std::vector<graph::Expr>& index) {
    const loop::Buffer buffer{f32, loop::BufferRole::input, 0, {}, layout.strides, layout.offset};
    return loop::linear_address(buffer, index, ranges);
  };
  return address(input, loaded_at) == address(store.layout, stored_at);
}

}  // namespace sinter::lower
