// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/rewrite.h"

#include <sinter/error.h>

#include <algorithm>

#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/graph/text.h"
#include "tests/fuzz/memory.h"

namespace sinter::fuzz {
namespace {

using graph::Expr;
using graph::Graph;
using graph::NodeId;
using graph::Value;

/// Builds a graph from another one.
class Rewriter {
 public:
  Rewriter(const Graph& from, const Rewrite& rewrite)
      : from_(from), rewrite_(rewrite), values_(static_cast<size_t>(from.size())) {
    to_.name = from.name;
    to_.ranges = from.ranges;
    to_.set_symbol_count(from.symbol_count());
  }

  Graph run(const std::vector<bool>& wanted) {
    size_t input = 0;
    for (NodeId id = 0; id < from_.size(); ++id) {
      const bool is_input = from_.node(id).op == nullptr;
      if (wanted[static_cast<size_t>(id)]) is_input ? add_input(id, input) : add_call(id);
      input += is_input ? 1 : 0;
    }
    for (Value v : from_.outputs()) to_.add_output(mapped(v));
    for (const graph::Write& w : from_.writes()) add_write(w);
    return std::move(to_);
  }

 private:
  Value mapped(Value v) const { return values_[static_cast<size_t>(v.node)][static_cast<size_t>(v.result)]; }
  Expr expr(Expr e) const { return rewrite_.expr ? rewrite_.expr(e) : e; }

  void add_input(NodeId id, size_t input) {
    graph::ValueType type = from_.type({id, 0});
    graph::Layout layout = from_.input_layout(input);
    const bool dense = graph::is_contiguous(layout, type.shape);
    if (rewrite_.input) rewrite_.input(input, type, layout);
    for (Expr& e : type.shape) e = expr(e);
    for (Expr& e : layout.strides) e = expr(e);
    layout.offset = expr(layout.offset);
    values_[static_cast<size_t>(id)] = {to_.add_input(type, dense ? graph::contiguous_layout(type.shape) : layout)};
  }

  void add_write(graph::Write w) {
    const Value input = mapped(from_.inputs()[static_cast<size_t>(w.input)]);
    w.input = static_cast<int>(std::ranges::find(to_.inputs(), input) - to_.inputs().begin());
    w.value = mapped(w.value);
    to_.add_write(w);
  }

  void add_call(NodeId id) {
    const graph::Node& node = from_.node(id);
    std::vector<Value> operands;
    for (Value v : node.operands) operands.push_back(mapped(v));
    if (rewrite_.replace)
      if (const auto v = rewrite_.replace(to_, id, operands)) {
        values_[static_cast<size_t>(id)] = std::vector(node.results.size(), *v);
        return;
      }
    graph::Attributes attributes = node.attributes;
    for (graph::Scalar& s : attributes.scalars)
      if (s.is_extent) s.expr = expr(s.expr);
    if (rewrite_.call) rewrite_.call(id, operands, attributes);
    const NodeId made = to_.add(*node.op, std::move(operands), std::move(attributes));
    for (size_t i = 0; i < node.results.size(); ++i)
      values_[static_cast<size_t>(id)].push_back({made, static_cast<int32_t>(i)});
  }

  const Graph& from_;
  const Rewrite& rewrite_;
  Graph to_;
  std::vector<std::vector<Value>> values_;
};

/// Also inputs that are written from end to end and not read.
std::vector<bool> wanted_nodes(const Graph& g) {
  std::vector<bool> wanted = graph::needed_nodes(g);
  for (const graph::Write& w : g.writes())
    wanted[static_cast<size_t>(g.inputs()[static_cast<size_t>(w.input)].node)] = true;
  return wanted;
}

bool is_sound(const Case& c) {
  for (const auto& symbols : c.calls) {
    for (const auto& [a, b] : c.graph.assumptions())
      if (value_of(a, symbols) != value_of(b, symbols)) return false;
    for (NodeId id = 0; id < c.graph.size(); ++id)
      for (const graph::ValueType& t : c.graph.node(id).results)
        if (std::ranges::any_of(t.shape, [&](Expr e) { return value_of(e, symbols) < 0; })) return false;
  }
  graph::verify(c.graph);
  const auto is_distinct_in_all = [&](const graph::Write& w) {
    const auto input = static_cast<size_t>(w.input);
    return std::ranges::all_of(c.calls, [&](const auto& symbols) {
      return is_distinct(c.graph.type(c.graph.inputs()[input]), c.graph.input_layout(input), symbols);
    });
  };
  return std::ranges::all_of(c.graph.writes(), is_distinct_in_all) &&
         std::ranges::all_of(c.graph.outputs(), [&](Value v) { return may_leave(c.graph, v); }) &&
         !(c.graph.outputs().empty() && c.graph.writes().empty());
}

}  // namespace

std::optional<Case> rewritten(const Case& c, const Rewrite& rewrite) {
  try {
    Case made = c;
    made.graph = Rewriter(c.graph, rewrite).run(wanted_nodes(c.graph));
    made.graph = Rewriter(made.graph, {}).run(wanted_nodes(made.graph));  // without what the rewrite made useless
    if (is_sound(made)) return made;
  } catch (const Error&) {  // not a legal graph
  }
  return std::nullopt;
}

}  // namespace sinter::fuzz
