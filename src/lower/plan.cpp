// SPDX-License-Identifier: Apache-2.0
#include "src/lower/plan.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <unordered_map>

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/graph/seeded_fault.h"
#include "src/lower/legality.h"
#include "src/lower/limits.h"

namespace sinter::lower {
namespace {

using graph::NodeId;

constexpr size_t max_candidates = 16;  ///< groups of one space that a new one is compared with
constexpr size_t max_search = 512;     ///< groups visited by a dependence search; past it they count as dependent

class Planner {
 public:
  Planner(const graph::Graph& g, const Options& options) : g_(g), options_(options) {}

  Plan run(const std::vector<StoredNode>& stored) {
    std::vector<NodeId> nodes;
    for (const auto& [id, why, alone] : stored) {
      if (g_.node(id).op != nullptr) materialized_.emplace(id, why);
      if (alone) alone_.insert(id);
      if (!stands_alone(id)) queue_.insert(id);
      nodes.push_back(id);
    }
    place_calls(nodes);
    expand_queued();
    store_what_is_repeated();
    drop_unread_stores({nodes.begin(), nodes.end()});
    return {ordered(), std::move(materialized_)};
  }

 private:
  using GroupIndex = size_t;

  bool stands_alone(NodeId id) const { return is_call(g_.node(id)) || is_accumulation(g_.node(id)); }

  /// Calls and accumulations stand in the plan from the start: they have memory, and so has what a call reads.
  void place_calls(const std::vector<NodeId>& stored) {
    const std::vector<bool> needed = graph::needed_nodes(g_, stored);
    for (NodeId id = g_.size(); id-- > 0;)
      if (needed[static_cast<size_t>(id)] && stands_alone(id))
        materialized_.emplace(id, is_call(g_.node(id)) ? "a call computes it" : "its elements accumulate");
    for (NodeId id = g_.size(); id-- > 0;) {
      if (!needed[static_cast<size_t>(id)] || !stands_alone(id)) continue;
      if (g_.node(id).results.size() != 1) throw CompileError("internal: a call with several results");
      groups_.push_back(is_call(g_.node(id)) ? call(id) : expand({id}, space_of(g_, id)));
      groups_.back().stays_alone = true;
      place(groups_.size() - 1);
    }
  }

  PlannedGroup call(NodeId id) {
    PlannedGroup group;
    group.is_call = true;
    group.roots = {id};
    std::vector<std::pair<graph::Expr, graph::Expr>> assumptions;  // of the entry that the graph is compiled for
    for (size_t i = 0; i < g_.node(id).operands.size(); ++i) {
      group.operands.push_back(call_operand(g_, id, i, assumptions));
      const CallOperand& operand = group.operands.back();
      const NodeId base = operand.view.base;
      group.reads.insert(base);
      if (g_.node(base).op == nullptr && !operand.copied) continue;
      if (materialized_.emplace(base, fmt::format("{} %{} reads it", g_.node(id).op->name, id)).second)
        queue_.insert(base);
    }
    return group;
  }

  void expand_queued() {
    while (!queue_.empty()) {
      const NodeId id = *queue_.begin();
      queue_.erase(queue_.begin());
      add(expand({id}, space_of(g_, id)));
    }
  }

  PlannedGroup expand(std::vector<NodeId> roots, const Space& space) {
    PlannedGroup g = expand_group(g_, options_, materialized_, space, std::move(roots));
    for (NodeId read : g.reads)  // what stands alone may not be placed yet, and no loop computes it
      if (materialized_.contains(read) && !group_of_.contains(read) && !stands_alone(read)) queue_.insert(read);
    for (NodeId root : g.roots) queue_.erase(root);
    return g;
  }

  void add(PlannedGroup group) {
    const NodeId root = group.roots[0];
    std::vector<std::string> refusals;
    const bool alone = alone_.contains(root);
    for (GroupIndex k : alone ? std::vector<GroupIndex>() : candidates(group)) {
      PlannedGroup& later = groups_[k];
      const std::string why =
          why_not_together(options_, later, group, [&] { return depend_through_others(later.reads, group.roots); });
      if (why.empty() && merge(k, group)) return;
      const bool related = reads_stores_of(later, group);
      if (!why.empty() && related)
        refusals.push_back(fmt::format("%{} not fused with %{}: {}", root, later.roots[0], why));
    }
    group.notes.push_back(fmt::format("%{} is stored: {}", root, reason(root)));
    group.notes.insert(group.notes.end(), refusals.begin(), refusals.end());
    groups_.push_back(std::move(group));
    place(groups_.size() - 1);
  }

  std::string reason(NodeId id) const {
    const auto it = materialized_.find(id);
    return it == materialized_.end() ? "a copy of an input" : it->second;
  }

  void place(GroupIndex k) {
    for (NodeId root : groups_[k].roots)
      if (g_.node(root).op != nullptr || materialized_.contains(root)) group_of_[root] = k;
    if (groups_[k].stays_alone) return;
    by_size_[groups_[k].space.extents.size()].push_back(k);
    for (NodeId read : groups_[k].reads) readers_[read].push_back(k);
    for (const auto& [id, cost] : groups_[k].costs) computed_in_[id].insert(k);
  }

  /// Groups that read what this one stores, then the latest ones over as many axes; only groups of later nodes, so that
  /// this group never depends on them.
  std::vector<GroupIndex> candidates(const PlannedGroup& group) const {
    std::vector<GroupIndex> found;
    const auto consider = [&](GroupIndex k) {
      const bool all_later = groups_[k].roots.back() > group.roots[0];
      if (all_later && !alone_.contains(groups_[k].roots[0]) && std::ranges::find(found, k) == found.end())
        found.push_back(k);
    };
    if (const auto it = readers_.find(group.roots[0]); it != readers_.end())
      for (size_t i = it->second.size(); i-- > 0 && found.size() < max_candidates;)
        if (groups_[it->second[i]].reads.contains(group.roots[0])) consider(it->second[i]);
    const auto it = by_size_.find(group.space.extents.size());
    if (it == by_size_.end()) return found;
    for (size_t i = it->second.size(), n = 0; i-- > 0 && n < max_candidates; ++n)
      if (groups_[it->second[i]].space.extents == group.space.extents) consider(it->second[i]);
    return found;
  }

  /// Does something in `reads`, other than the roots themselves, depend on one of `roots`?
  bool depend_through_others(const std::set<NodeId>& reads, const std::vector<NodeId>& roots) const {
    const auto is_root = [&](NodeId id) { return std::ranges::find(roots, id) != roots.end(); };
    std::vector<GroupIndex> open;
    std::set<GroupIndex> seen;
    const auto visit = [&](NodeId read) {
      const auto it = group_of_.find(read);
      if (it != group_of_.end() && seen.insert(it->second).second) open.push_back(it->second);
    };
    for (NodeId read : reads)
      if (!is_root(read)) visit(read);
    while (!open.empty()) {
      if (seen.size() > max_search) return true;
      const GroupIndex at = open.back();
      open.pop_back();
      for (NodeId read : groups_[at].reads) {
        if (is_root(read)) return true;
        visit(read);
      }
    }
    return false;
  }

  /// Would the kernel wait for itself?
  bool is_circular(const PlannedGroup& group) const {
    const bool reads_itself = !planted(graph::Fault::missing_alias_guard) &&  // tests only
                              std::ranges::any_of(group.roots, [&](NodeId r) { return group.reads.contains(r); });
    return reads_itself || depend_through_others(group.reads, group.roots);
  }

  bool merge(GroupIndex k, const PlannedGroup& earlier) {
    PlannedGroup& later = groups_[k];
    std::vector<NodeId> roots = later.roots;
    roots.insert(roots.end(), earlier.roots.begin(), earlier.roots.end());
    Materialized trial = materialized_;
    PlannedGroup both = expand_group(g_, options_, trial, joint_space(later, earlier), std::move(roots));
    // Together they may need more memory, or read what got memory since the later one was expanded.
    if (trial.size() != materialized_.size() || is_circular(both)) return false;
    both.notes = later.notes;
    const bool reads = reads_stores_of(later, earlier);
    both.notes.push_back(fmt::format("%{} joins %{}: {}", earlier.roots[0], later.roots[0],
                                     reads ? "read where it is stored" : "equal space, reads in common"));
    later = std::move(both);
    place(k);
    return true;
  }

  /// Nodes that several groups compute. From the last node to the first, so that the topmost shared one is stored.
  void store_what_is_repeated() {
    for (auto it = computed_in_.begin(); it != computed_in_.end(); ++it) {
      const NodeId id = it->first;
      std::erase_if(it->second, [&](GroupIndex k) { return !groups_[k].costs.contains(id); });
      if (it->second.size() < 2 || materialized_.contains(id) || !is_worth_storing(id, it->second)) continue;
      materialized_.emplace(id, fmt::format("{} kernels would compute it", it->second.size()));
      for (GroupIndex k : std::set<GroupIndex>(it->second)) {
        std::vector<std::string> notes = std::move(groups_[k].notes);
        groups_[k] = expand(groups_[k].roots, spread(groups_[k]));
        groups_[k].notes = std::move(notes);
        place(k);
      }
      expand_queued();
      split_circular();
    }
  }

  /// A group of several roots that now reads a new one may wait for itself: its roots part.
  void split_circular() {
    for (GroupIndex k = 0; k < groups_.size(); ++k) {
      if (groups_[k].roots.size() < 2 || !is_circular(groups_[k])) continue;
      const std::vector<NodeId> roots = groups_[k].roots;
      for (size_t i = 0; i < roots.size(); ++i) {
        PlannedGroup alone = expand({roots[i]}, space_of(g_, roots[i]));
        alone.notes.push_back(fmt::format("%{} is stored: {}", roots[i], reason(roots[i])));
        if (i == 0) {
          groups_[k] = std::move(alone);
          place(k);
        } else {
          groups_.push_back(std::move(alone));
          place(groups_.size() - 1);
        }
      }
      expand_queued();
    }
  }

  /// The space to expand a group anew: without a fold it may need none any more.
  Space spread(const PlannedGroup& group) const {
    NodeId widest = group.roots[0];
    for (NodeId root : group.roots)
      if (space_of(g_, root).extents.size() > space_of(g_, widest).extents.size()) widest = root;
    return group.roots.size() > 1 && group.space.reduces() ? group.space : space_of(g_, widest);
  }

  bool is_worth_storing(NodeId id, const std::set<GroupIndex>& in) const {
    const graph::OpClass kind = g_.node(id).op->op_class;
    if (kind == graph::OpClass::view) return false;
    if (kind == graph::OpClass::reduction || kind == graph::OpClass::scan) return true;
    return std::ranges::all_of(in, [&](GroupIndex k) { return groups_[k].costs.at(id) > max_repeated; });
  }

  /// A value whose readers all joined its own kernel needs no memory.
  void drop_unread_stores(const std::set<NodeId>& outputs) {
    std::set<NodeId> read;
    for (bool changed = true; changed;) {
      read = outputs;
      for (const PlannedGroup& g : groups_) read.insert(g.reads.begin(), g.reads.end());
      changed = false;
      for (PlannedGroup& g : groups_) {
        std::erase_if(g.nest.stores, [&](const loop::Store& s) { return !read.contains(s.buffer); });
        std::erase_if(g.roots, [&](NodeId id) { return !read.contains(id); });
        if (!g.roots.empty() || g.reads.empty()) continue;
        g.reads.clear();  // a call of whose result nothing but the shape is used
        changed = true;
      }
    }
    std::erase_if(materialized_, [&](const auto& m) { return !read.contains(m.first); });
  }

  std::vector<PlannedGroup> ordered() {
    std::vector<PlannedGroup> out;
    std::vector<char> state(groups_.size());
    std::vector<std::pair<GroupIndex, std::set<NodeId>::const_iterator>> stack;
    for (GroupIndex first = groups_.size(); first-- > 0;) {
      if (state[first] != 0 || groups_[first].roots.empty()) continue;
      state[first] = 1;
      stack.emplace_back(first, groups_[first].reads.begin());
      while (!stack.empty()) {
        auto& [k, next] = stack.back();
        if (next == groups_[k].reads.end()) {
          state[k] = 2;
          out.push_back(std::move(groups_[k]));
          stack.pop_back();
          continue;
        }
        const auto writer = group_of_.find(*next++);
        if (writer == group_of_.end() || writer->second == k || state[writer->second] == 2) continue;
        if (state[writer->second] == 1) throw CompileError("internal: two kernels depend on each other");
        state[writer->second] = 1;
        stack.emplace_back(writer->second, groups_[writer->second].reads.begin());
      }
    }
    return out;
  }

  const graph::Graph& g_;
  const Options& options_;
  Materialized materialized_;
  std::set<NodeId> alone_;
  std::set<NodeId, std::greater<>> queue_;
  std::vector<PlannedGroup> groups_;
  std::unordered_map<NodeId, GroupIndex> group_of_;
  std::unordered_map<NodeId, std::vector<GroupIndex>> readers_;
  std::map<size_t, std::vector<GroupIndex>> by_size_;
  /// Groups that expanded a node; some did so before they were expanded anew.
  std::map<NodeId, std::set<GroupIndex>, std::greater<>> computed_in_;
};

}  // namespace

Plan plan(const graph::Graph& graph, const Options& options, const std::vector<StoredNode>& stored) {
  return Planner(graph, options).run(stored);
}

}  // namespace sinter::lower
