// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "src/graph/registry.h"

namespace sinter::graph {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& g) : g_(g) {}

  void run() {
    inputs();
    for (id_ = 0; id_ < g_.size(); ++id_) node(g_.node(id_));
    for (size_t i = 0; i < g_.outputs().size(); ++i) output(g_.outputs()[i], g_.output_order(i));
    writes();
    for (const auto& [a, b] : g_.assumptions()) {
      known(a);
      known(b);
    }
  }

 private:
  void require(bool ok, std::string_view what) const {
    if (ok) return;
    const Node* n = id_ < g_.size() ? &g_.node(id_) : nullptr;
    throw CompileError({.op = n != nullptr && n->op != nullptr ? std::string(n->op->name) : "",
                        .what = n != nullptr ? fmt::format("internal: graph {}, %{}: {}", g_.name, id_, what)
                                             : fmt::format("internal: graph {}: {}", g_.name, what),
                        .line = n != nullptr ? n->line : SourceLine{},
                        .context = {},
                        .fix = {}});
  }

  bool exists(Value v, NodeId before) const {
    return v.node >= 0 && v.node < before && v.result >= 0 &&
           static_cast<size_t>(v.result) < g_.node(v.node).results.size();
  }

  void output(Value v, const Dims& order) const {
    require(exists(v, g_.size()), "an output is no value of the graph");
    if (order.empty()) return;
    const auto rank = g_.type(v).shape.size();
    std::vector<bool> named(rank);
    for (int64_t d : order)
      if (d >= 0 && d < static_cast<int64_t>(rank)) named[static_cast<size_t>(d)] = true;
    require(order.size() == rank && std::ranges::count(named, false) == 0, "an output's order is no permutation");
  }

  void known(Expr e) const {
    visit_leaves(e, [&](Expr leaf) {
      require(leaf.kind() == Expr::Kind::symbol, "an extent depends on an axis or a value");
      require(leaf.id() >= 0 && leaf.id() < g_.symbol_count(), "an extent uses an unknown symbol");
    });
  }

  void inputs() {
    std::vector<bool> seen(static_cast<size_t>(g_.size()), false);
    for (size_t i = 0; i < g_.inputs().size(); ++i) {
      const Value v = g_.inputs()[i];
      require(exists(v, g_.size()) && v.result == 0, "an input is no value of the graph");
      id_ = v.node;
      require(g_.node(id_).op == nullptr, "an input is computed");
      require(!seen[static_cast<size_t>(id_)], "an input is listed twice");
      seen[static_cast<size_t>(id_)] = true;
      const Layout& layout = g_.input_layout(i);
      require(layout.strides.size() == g_.type(v).shape.size(), "an input's strides have another rank");
      for (Expr e : layout.strides) known(e);
      known(layout.offset);
    }
    for (id_ = 0; id_ < g_.size(); ++id_)
      require(g_.node(id_).op != nullptr || seen[static_cast<size_t>(id_)], "a node without op is no input");
  }

  void writes() const {
    std::vector<bool> written(g_.inputs().size(), false);
    for (const Write& w : g_.writes()) {
      require(exists(w.value, g_.size()), "a written value is no value of the graph");
      require(w.input >= 0 && static_cast<size_t>(w.input) < written.size(), "what is written is no input");
      const auto input = static_cast<size_t>(w.input);
      require(!written[input], "an input is written twice");
      written[input] = true;
      require(g_.type(w.value) == g_.type(g_.inputs()[input]), "a written value has another type than the input");
    }
  }

  void node(const Node& n) {
    require(!n.results.empty(), "no result");
    for (const ValueType& t : n.results)
      for (Expr e : t.shape) {
        known(e);
        require(e.constant().value_or(0) >= 0, "an extent is negative");
      }
    for (Value v : n.operands) require(exists(v, id_), "an operand is not an earlier result");
    if (n.op == nullptr) {
      require(n.operands.empty() && n.results.size() == 1, "an input has operands or several results");
      return;
    }
    const int count = static_cast<int>(n.operands.size());
    require(count >= n.op->min_operands && (n.op->max_operands < 0 || count <= n.op->max_operands),
            "wrong number of operands");
    attributes(n);
    types(n);
    if (n.effect_order >= 0) {
      require(n.effect_order > last_effect_, "effects are out of order");
      last_effect_ = n.effect_order;
    }
    for (const auto& body : n.subgraphs) {
      require(body != nullptr, "a subgraph is missing");
      verify(*body);
    }
  }

  void attributes(const Node& n) const {
    AttributeReader reader(n.attributes);
    for (const Param& p : n.op->params) parameter(p, reader);
    require(reader.done(), "more attributes than parameters");
    for (const Scalar& s : n.attributes.scalars) {
      if (s.is_extent) known(s.expr);
      require(s.symbol < g_.symbol_count(), "a number is an unknown symbol");
    }
  }

  void parameter(const Param& p, AttributeReader& reader) const {
    const auto extent = [&] { require(reader.number().is_extent, "a number stands for an extent"); };
    const auto number = [&] { require(!reader.number().is_extent, "an extent stands for a number"); };
    switch (p.kind) {
      case ParamKind::flag:
      case ParamKind::integer:
      case ParamKind::device:
        reader.integer();
        break;
      case ParamKind::dtype:
        require(std::ranges::count(all_dtypes, reader.dtype()) == 1, "an attribute is no dtype");
        break;
      case ParamKind::enumeration: {
        const int64_t v = reader.integer();
        require(v >= 0 && v < static_cast<int64_t>(p.names.size()), "an attribute is no enumerator");
        break;
      }
      case ParamKind::integers:
        reader.integers();
        break;
      case ParamKind::number:
        number();
        break;
      case ParamKind::optional_number:
        if (reader.flag()) number();
        break;
      case ParamKind::extent:
        extent();
        break;
      case ParamKind::extents:
        for (int64_t left = reader.integer(); left > 0; --left) extent();
        break;
    }
  }

  void types(const Node& n) const {
    std::vector<ValueType> operands;
    for (Value v : n.operands) operands.push_back(g_.type(v));
    InferContext context(*n.op, operands, n.attributes, n.line);
    std::vector<ValueType> expected;
    try {
      expected = n.op->infer(context);
    } catch (const UserError& e) {
      require(false, std::string("the type rule refuses it: ") + e.what());
    }
    require(expected == n.results, "the type rule gives other types");
  }

  const Graph& g_;
  NodeId id_ = 0;
  int32_t last_effect_ = -1;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace sinter::graph
