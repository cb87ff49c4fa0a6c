// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/minimise.h"

#include <algorithm>
#include <set>

#include "src/graph/registry.h"
#include "src/graph/text.h"
#include "tests/fuzz/rewrite.h"

namespace sinter::fuzz {
namespace {

using graph::Expr;
using graph::NodeId;
using graph::Value;

class Minimiser {
 public:
  Minimiser(Case c, const std::function<bool(const Case&)>& fails, int trials)
      : best_(std::move(c)), fails_(fails), trials_(trials) {}

  Case run() {
    // The order matters: what removes most comes first, and begins again after each success.
    while (trials_ > 0 && (fewer_outputs() || fewer_writes() || shorter() || without_layout() || without_symbols() ||
                           smaller_extents() || fewer_operands() || simpler_dtypes()));
    return std::move(best_);
  }

 private:
  /// Takes the candidate if it is legal, another one, and still fails.
  bool take(const std::optional<Case>& candidate) {
    if (!candidate || trials_ <= 0) return false;
    if (text(*candidate) == text(best_)) return false;
    --trials_;
    if (!fails_(*candidate)) return false;
    best_ = *candidate;
    return true;
  }
  bool take(const Rewrite& rewrite) { return take(rewritten(best_, rewrite)); }
  static std::string text(const Case& c) { return test_text(c, ""); }

  bool fewer_outputs() {
    const std::vector<Value> outputs = best_.graph.outputs();
    const auto with = [&](std::vector<Value> kept) {
      Case c = best_;
      c.graph.set_outputs(std::move(kept));
      return take(rewritten(c, {}));
    };
    if (!outputs.empty() && !best_.graph.writes().empty() && with({})) return true;
    if (outputs.size() < 2) return false;
    for (Value v : outputs)
      if (with({v})) return true;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<Value> kept = outputs;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      if (with(std::move(kept))) return true;
    }
    return false;
  }

  bool fewer_writes() {
    const std::vector<graph::Write> writes = best_.graph.writes();
    for (size_t left_out = 0; left_out < writes.size(); ++left_out) {
      Case c = best_;
      c.graph.clear_writes();
      for (size_t i = 0; i < writes.size(); ++i)
        if (i != left_out) c.graph.add_write(writes[i]);
      if (take(rewritten(c, {}))) return true;
    }
    return false;
  }

  /// From the last node up: an output, or what is written, may end earlier; an operand, or a new input, may stand for
  /// an op.
  bool shorter() {
    for (NodeId id = best_.graph.size(); id-- > 0;) {
      const graph::Node& node = best_.graph.node(id);
      if (node.op == nullptr) continue;
      for (Value operand : node.operands)
        if (best_.graph.node(operand.node).op != nullptr && outputs_end_at(id, operand)) return true;
      for (size_t i = 0; i < node.operands.size(); ++i)
        if (take({.replace = [&](graph::Graph&, NodeId at, std::span<const Value> operands) {
              return at == id ? std::optional(operands[i]) : std::nullopt;
            }}))
          return true;
      if (take({.replace = [&](graph::Graph& made, NodeId at, std::span<const Value>) {
            return at == id ? std::optional(made.add_input(best_.graph.type({id, 0}))) : std::nullopt;
          }}))
        return true;
    }
    return false;
  }

  bool outputs_end_at(NodeId id, Value operand) {
    Case c = best_;
    std::vector<Value> outputs = c.graph.outputs();
    std::vector<graph::Write> writes = c.graph.writes();
    const bool written = std::ranges::any_of(writes, [&](const graph::Write& w) { return w.value.node == id; });
    if (std::ranges::none_of(outputs, [&](Value v) { return v.node == id; }) && !written) return false;
    c.graph.clear_writes();
    for (graph::Write& w : writes) {
      if (w.value.node == id) w.value = operand;
      c.graph.add_write(w);
    }
    for (Value& v : outputs)
      if (v.node == id) v = operand;
    c.graph.set_outputs(std::move(outputs));
    return take(rewritten(c, {}));
  }

  bool without_layout() {
    if (best_.misaligned != 0) {
      Case c = best_;
      c.misaligned = 0;
      if (take(c)) return true;
    }
    for (size_t i = 0; i < best_.graph.inputs().size(); ++i)
      if (take({.input = [&](size_t input, graph::ValueType& type, graph::Layout& layout) {
            if (input == i) layout = graph::contiguous_layout(type.shape);
          }}))
        return true;
    return false;
  }

  /// One call instead of two, then every symbol as its value there.
  bool without_symbols() {
    for (size_t i = 0; best_.calls.size() > 1 && i < best_.calls.size(); ++i) {
      Case c = best_;
      c.calls = {best_.calls[i]};
      if (take(c)) return true;
    }
    for (int s = 0; s < best_.graph.symbol_count(); ++s)
      for (const auto& symbols : best_.calls)
        if (take(literal(s, symbols[static_cast<size_t>(s)]))) return true;
    return drop_unused_symbols();
  }

  static Rewrite literal(int symbol, int64_t value) {
    Rewrite r;
    r.expr = [=](Expr e) {
      return substitute(
          e, [=](Expr leaf) { return leaf == Expr::symbol(symbol) ? std::optional(Expr(value)) : std::nullopt; });
    };
    r.call = [=](NodeId, std::vector<Value>&, graph::Attributes& attributes) {
      for (graph::Scalar& s : attributes.scalars)
        if (s.symbol == symbol) {
          s.symbol = -1;
          s.literal.bits = value;
        }
    };
    return r;
  }

  bool drop_unused_symbols() {
    if (best_.graph.symbol_count() == 0) return false;
    Case c = best_;
    c.graph.set_symbol_count(0);
    c.graph.ranges = {};
    c.calls = {{}};
    const std::string used = graph::print(c.graph);
    for (int s = 0; s < best_.graph.symbol_count(); ++s)
      if (used.find(Expr::symbol(s).text()) != std::string::npos) return false;
    return take(c);
  }

  /// A literal extent, wherever it stands in types and attributes, becomes smaller.
  bool smaller_extents() {
    std::set<int64_t, std::greater<>> extents;
    const auto note = [&](Expr e) {
      if (const auto n = e.constant(); n && *n > 1) extents.insert(*n);
    };
    for (NodeId id = 0; id < best_.graph.size(); ++id) {
      const graph::Node& node = best_.graph.node(id);
      for (const graph::ValueType& t : node.results) std::ranges::for_each(t.shape, note);
      for (const graph::Scalar& s : node.attributes.scalars)
        if (s.is_extent) note(s.expr);
    }
    for (int64_t n : extents)
      for (int64_t smaller : {int64_t{1}, int64_t{2}, n / 2, n - 1})
        if (smaller < n && take({.expr = [=](Expr e) { return e.is_constant(n) ? Expr(smaller) : e; }})) return true;
    return false;
  }

  bool fewer_operands() {
    for (NodeId id = 0; id < best_.graph.size(); ++id)
      for (size_t i = 0; i < best_.graph.node(id).operands.size(); ++i)
        if (take({.call = [&](NodeId at, std::vector<Value>& operands, graph::Attributes&) {
              if (at == id) operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
            }}))
          return true;
    return false;
  }

  bool simpler_dtypes() {
    for (size_t i = 0; i < best_.graph.inputs().size(); ++i)
      if (take({.input = [&](size_t input, graph::ValueType& type, graph::Layout&) {
            if (input == i) type.dtype = f32;
          }}))
        return true;
    return false;
  }

  Case best_;
  const std::function<bool(const Case&)>& fails_;
  int trials_;
};

}  // namespace

Case minimise(Case c, const std::function<bool(const Case&)>& fails, int max_trials) {
  return Minimiser(std::move(c), fails, max_trials).run();
}

}  // namespace sinter::fuzz
