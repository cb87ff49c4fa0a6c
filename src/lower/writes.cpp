// SPDX-License-Identifier: Apache-2.0
#include "src/lower/writes.h"

#include <sinter/error.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/graph/text.h"
#include "src/lower/call_operands.h"
#include "src/lower/view_layout.h"
#include "src/lower/write_order.h"

namespace sinter::lower {
namespace {

using graph::NodeId;
using graph::WriteRole;

/// A value and where it goes.
struct Box {
  NodeId value;
  graph::Layout layout;
  bool whole;
};

WriteRole role_of(const graph::Graph& g, NodeId id) {
  const graph::OpDef* op = g.node(id).op;
  return op == nullptr ? WriteRole::none : op->write_role;
}

/// What a box holds by itself: an assignment of the destination's type to all of it is its value.
NodeId assigned(const graph::Graph& g, NodeId id) {
  if (role_of(g, id) != WriteRole::assign || g.node(id).operands.size() < 2) return id;
  const graph::Value value = g.node(id).operands[1];
  return g.type(value) == g.type({id, 0}) ? value.node : id;
}

/// The assignment whose value a scatter brings to where it belongs, or -1.
NodeId assignment_of(const graph::Graph& g, NodeId id) {
  while (role_of(g, id) == WriteRole::scatter) id = g.node(id).operands[1].node;
  return role_of(g, id) == WriteRole::assign ? id : -1;
}

/// The view that an assignment writes through. Where the view was written before, its last value stands for it.
NodeId view_of(const graph::Graph& g, NodeId assignment) {
  NodeId view = assignment;
  while (role_of(g, view) == WriteRole::assign) view = g.node(view).operands[0].node;
  return view;
}

bool equal(const graph::Graph& g, const Box& a, const Box& b) {
  return a.layout.offset == b.layout.offset && a.layout.strides == b.layout.strides &&
         g.type({a.value, 0}).shape == g.type({b.value, 0}).shape;
}

/// What the outermost scatters of a value wrote, if strides express where; nothing for what is written as a whole.
std::optional<Box> box_of(const graph::Graph& g, NodeId id, const graph::Layout& memory) {
  const NodeId assignment = role_of(g, id) == WriteRole::scatter ? assignment_of(g, id) : -1;
  if (assignment < 0) return std::nullopt;
  const StridedView view = view_layout(g, view_of(g, assignment), [&](NodeId) { return memory; });
  if (is_view(g, view.base)) return std::nullopt;  // unknown whether it is a copy
  return Box{assignment, {view.strides, view.offset}, false};
}

/// The boxes that make up what is written, in program order.
std::vector<Box> boxes_of(const graph::Graph& g, const graph::Write& w) {
  const graph::Layout& memory = g.input_layout(static_cast<size_t>(w.input));
  const NodeId input = g.inputs()[static_cast<size_t>(w.input)].node;
  std::vector<Box> boxes;  // the last one first
  for (NodeId id = w.value.node; id != input;) {
    const auto box = box_of(g, id, memory);
    if (!box) {
      boxes.push_back({id, memory, true});
      break;
    }
    if (std::ranges::none_of(boxes, [&](const Box& b) { return equal(g, b, *box); })) boxes.push_back(*box);
    id = g.node(id).operands[0].node;
  }
  std::ranges::reverse(boxes);
  return boxes;
}

NodeId add_clone(graph::Graph& g, NodeId of) { return g.add(*graph::find_op("clone"), {{of, 0}}, {}, g.node(of).line); }

class WritePlanner {
 public:
  WritePlanner(const graph::Graph& g, const Options& options, const std::vector<NodeId>& outputs)
      : g_(g), options_(options), outputs_(outputs) {
    for (const graph::Write& w : g.writes())
      for (Box& box : boxes_of(g, w)) {
        where_.push_back(w.overlapped ? Where::apart : Where::fused);
        values_.push_back(box.value);
        calls_.push_back(-1);
        stores_.push_back({-1, w.input, std::move(box.layout), box.whole, w.overlapped});
      }
    find_calls();
  }

  /// Stores get kernels, then values memory of their own, until nothing is read after it was written.
  WrittenPlan run() {
    for (;;) {
      WrittenPlan tried = attempt();
      const std::vector<size_t> conflicts = order_writes(tried);
      if (conflicts.empty()) return tried;
      bool changed = false;
      for (const size_t s : conflicts) {
        if (where_[s] == Where::apart) continue;
        where_[s] = where_[s] == Where::fused ? Where::alone : Where::apart;
        changed = true;
      }
      if (!changed) throw CompileError("internal: no order of in-place stores");
    }
  }

 private:
  /// Calls that compute all of a dense memory and that nothing else reads.
  void find_calls() {
    std::vector<NodeId> roots = outputs_;
    roots.insert(roots.end(), values_.begin(), values_.end());
    const std::vector<bool> needed = graph::needed_nodes(g_, roots);
    std::vector<int> reads(needed.size());
    for (NodeId id = 0; id < g_.size(); ++id)
      if (needed[static_cast<size_t>(id)])
        for (graph::Value v : g_.node(id).operands) ++reads[static_cast<size_t>(v.node)];
    for (size_t i = 0; i < stores_.size(); ++i) {
      const NodeId id = assigned(g_, values_[i]);
      const bool whole = stores_[i].whole && graph::is_contiguous(stores_[i].layout, g_.type({id, 0}).shape);
      const bool leaves = std::ranges::find(outputs_, id) != outputs_.end();
      if (whole && !leaves && id != values_[i] && is_call(g_.node(id)) && reads[static_cast<size_t>(id)] == 1)
        calls_[i] = id;
    }
  }

  /// Where a value is computed.
  enum class Where : uint8_t {
    fused,  ///< with whatever else fits
    alone,  ///< in a kernel of its own, in its place
    apart,  ///< somewhere else; a copy follows
  };

  WrittenPlan attempt() const {
    WrittenPlan w{g_, stores_, {}};
    std::vector<StoredNode> stored;
    for (const NodeId id : outputs_) stored.push_back({id, "output", false});
    for (size_t i = 0; i < stores_.size(); ++i) {
      NodeId value = values_[i];
      if (where_[i] == Where::fused && calls_[i] >= 0) {
        w.stores[i].node = calls_[i];
        stored.push_back({calls_[i], "written in place", false});
        continue;
      }
      if (where_[i] == Where::apart) {
        value = add_clone(w.graph, value);
        stored.push_back({value, "computed before its place is written", false});
      }
      w.stores[i].node = add_clone(w.graph, value);
      stored.push_back({w.stores[i].node, "written in place", where_[i] != Where::fused});
    }
    w.plan = plan(w.graph, options_, stored);
    return w;
  }

  const graph::Graph& g_;
  const Options& options_;
  const std::vector<NodeId>& outputs_;
  std::vector<InPlaceStore> stores_;
  std::vector<NodeId> values_;
  std::vector<NodeId> calls_;  ///< by store: the call that writes it itself, or -1
  std::vector<Where> where_;
};

}  // namespace

WrittenPlan plan_writes(const graph::Graph& graph, const Options& options, const std::vector<NodeId>& stored) {
  return WritePlanner(graph, options, stored).run();
}

}  // namespace sinter::lower
