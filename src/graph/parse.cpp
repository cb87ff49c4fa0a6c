// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "src/graph/text.h"

namespace sinter::graph {
namespace {

/// Words and punctuation of the canonical text; spaces, line ends and comments only separate.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : all_(text), rest_(text) { skip(); }

  [[noreturn]] void fail(const std::string& what) const {
    const auto read = all_.substr(0, all_.size() - rest_.size());
    const auto line = 1 + std::ranges::count(read, '\n');
    throw CompileError(fmt::format("graph, line {}: {} at \"{}\"", line, what, rest_.substr(0, rest_.find('\n'))));
  }
  bool done() const { return rest_.empty(); }
  bool sees(std::string_view token) const { return rest_.starts_with(token); }
  bool accept(std::string_view token) {
    if (!sees(token)) return false;
    take(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }
  std::string_view word() {
    const size_t n = std::min(rest_.find_first_of(" \n,()[]{}=\""), rest_.size());
    if (n == 0) fail("expected a word");
    return take(n);
  }
  template <class T>
  T integer(int base = 10) {
    T v{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), v, base);
    if (error != std::errc()) fail("expected an integer");
    take(static_cast<size_t>(end - rest_.data()));
    return v;
  }
  double floating() {
    double v = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), v);
    if (error != std::errc()) fail("expected a number");
    take(static_cast<size_t>(end - rest_.data()));
    return v;
  }
  Expr expr() {
    const Expr e = Expr::parse_front(rest_);
    skip();
    return e;
  }
  template <class F>
  void list(const F& item) {
    expect("[");
    while (!accept("]")) {
      item();
      if (!sees("]")) expect(",");
    }
  }
  std::vector<Expr> exprs() {
    std::vector<Expr> v;
    list([&] { v.push_back(expr()); });
    return v;
  }
  std::string string() {
    std::string s;
    if (!sees("\"")) fail("expected a quoted name");
    size_t i = 1;
    for (; i < rest_.size() && rest_[i] != '"'; ++i) {
      const bool escaped = rest_[i] == '\\' && i + 1 < rest_.size();
      if (escaped) ++i;
      s += escaped && rest_[i] == 'n' ? '\n' : rest_[i];
    }
    if (i == rest_.size()) fail("the name has no end");
    take(i + 1);
    return s;
  }

 private:
  std::string_view take(size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip();
    return taken;
  }
  void skip() {
    for (;;) {
      const size_t n = std::min(rest_.find_first_not_of(" \n"), rest_.size());
      rest_.remove_prefix(n);
      if (!rest_.starts_with("//")) return;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
  }
  std::string_view all_, rest_;
};

class GraphParser {
 public:
  explicit GraphParser(Cursor& in) : in_(in) {}

  Graph graph() {
    in_.expect("graph");
    g_.name = in_.string();
    in_.expect("on");
    g_.device = device();
    in_.expect("{");
    if (in_.accept("symbols")) symbols();
    while (in_.sees("%")) node();
    while (in_.accept("write")) write();
    in_.expect("return");
    while (in_.sees("%")) {
      const Value v = value();
      Dims order;
      if (in_.accept("as")) in_.list([&] { order.push_back(in_.integer<int64_t>()); });
      g_.add_output(v, order);
      if (!in_.accept(",")) break;
    }
    in_.expect("}");
    return std::move(g_);
  }

 private:
  void symbols() {
    g_.set_symbol_count(in_.integer<int>());
    while (in_.accept(",")) {
      const Expr s = in_.expr();
      if (s.kind() != Expr::Kind::symbol || s.id() >= g_.symbol_count()) in_.fail("expected a symbol of this graph");
      in_.expect("in");
      in_.expect("[");
      const int64_t lo = end();
      in_.expect(",");
      const int64_t hi = end();
      in_.expect("]");
      g_.ranges.set_symbol(s.id(), lo, hi);
    }
  }
  void write() {
    Write w;
    w.value = value();
    in_.expect("to");
    in_.expect("input");
    w.input = in_.integer<int>();
    if (w.input < 0 || static_cast<size_t>(w.input) >= g_.inputs().size()) in_.fail("expected the number of an input");
    w.overlapped = in_.accept("overlapped");
    g_.add_write(w);
  }
  int64_t end() {
    if (in_.accept("-inf")) return std::numeric_limits<int64_t>::min();
    if (in_.accept("inf")) return std::numeric_limits<int64_t>::max();
    return in_.integer<int64_t>();
  }

  void node() {
    in_.expect("%");
    if (in_.integer<NodeId>() != g_.size()) in_.fail(fmt::format("expected %{}", g_.size()));
    std::vector<ValueType> types{type()};
    while (in_.accept(",")) types.push_back(type());
    in_.expect("=");
    const std::string_view name = in_.word();
    if (name == "input" && !in_.sees("(")) {
      input(std::move(types));
      return;
    }
    const OpDef* op = find_op(name);
    if (op == nullptr) in_.fail(fmt::format("there is no op {}", name));
    std::vector<Value> operands;
    in_.expect("(");
    while (!in_.accept(")")) {
      operands.push_back(value());
      if (!in_.sees(")")) in_.expect(",");
    }
    Attributes attributes = parameters(*op);
    const NodeId id = g_.add(*op, std::move(operands), std::move(attributes));
    if (g_.node(id).results != types) in_.fail(fmt::format("the type rule of {} gives other types than %{}", name, id));
    if (in_.accept("effect=")) g_.node(id).effect_order = in_.integer<int32_t>();
    if (!in_.accept("{")) return;
    while (!in_.accept("}")) g_.node(id).subgraphs.push_back(std::make_shared<Graph>(GraphParser(in_).graph()));
  }

  void input(std::vector<ValueType> types) {
    if (types.size() != 1) in_.fail("an input is one value");
    std::optional<Layout> layout;
    if (in_.accept("strides=")) {
      layout.emplace();
      layout->strides = in_.exprs();
      in_.expect(",");
      in_.expect("offset=");
      layout->offset = in_.expr();
    }
    g_.add_input(std::move(types[0]), std::move(layout));
  }

  Attributes parameters(const OpDef& op) {
    Attributes a;
    for (size_t i = 0; i < op.params.size(); ++i) {
      if (i > 0) in_.expect(",");
      in_.expect(op.params[i].name);
      in_.expect("=");
      parameter(op.params[i], a);
    }
    return a;
  }

  void parameter(const Param& p, Attributes& a) {
    switch (p.kind) {
      case ParamKind::flag:
        return a.words.push_back(flag());
      case ParamKind::integer:
        return a.words.push_back(in_.integer<int64_t>());
      case ParamKind::integers: {
        const size_t length = a.words.size();
        a.words.push_back(0);
        in_.list([&] { a.words.push_back(in_.integer<int64_t>()); });
        a.words[length] = static_cast<int64_t>(a.words.size() - length - 1);
        return;
      }
      case ParamKind::dtype:
        return a.words.push_back(word_of(dtype()));
      case ParamKind::enumeration:
        return a.words.push_back(enumerator(p));
      case ParamKind::device:
        return a.words.push_back(word_of(device()));
      case ParamKind::number:
        return a.scalars.push_back(number());
      case ParamKind::optional_number: {
        const bool present = !in_.accept("none");
        a.words.push_back(present);
        if (present) a.scalars.push_back(number());
        return;
      }
      case ParamKind::extent:
        return a.scalars.push_back(extent(in_.expr()));
      case ParamKind::extents: {
        const std::vector<Expr> extents = in_.exprs();
        a.words.push_back(static_cast<int64_t>(extents.size()));
        for (Expr e : extents) a.scalars.push_back(extent(e));
        return;
      }
    }
  }

  bool flag() {
    if (in_.accept("true")) return true;
    in_.expect("false");
    return false;
  }
  DType dtype() {
    const std::string_view name = in_.word();
    if (const auto t = DType::parse(name)) return *t;
    in_.fail(fmt::format("{} is no dtype", name));
  }
  Device device() {
    if (in_.accept("cpu")) return Device::cpu();
    in_.expect("cuda:");
    return Device::cuda(in_.integer<int>());
  }
  int64_t enumerator(const Param& p) {
    const std::string_view name = in_.word();
    const auto it = std::ranges::find(p.names, name);
    if (it == p.names.end()) in_.fail(fmt::format("{} is no {}", name, p.name));
    return it - p.names.begin();
  }
  ValueType type() {
    const DType t = dtype();
    return {t, in_.exprs()};
  }
  Value value() {
    in_.expect("%");
    Value v{in_.integer<NodeId>(), 0};
    if (in_.accept(".")) v.result = in_.integer<int32_t>();
    if (v.node < 0 || v.node >= g_.size() || v.result < 0 ||
        static_cast<size_t>(v.result) >= g_.node(v.node).results.size())
      in_.fail(fmt::format("%{}.{} is not defined before", v.node, v.result));
    return v;
  }
  static Scalar extent(Expr e) {
    Scalar s;
    s.literal = Number::of(e.constant().value_or(0));
    s.expr = e;
    s.is_extent = true;
    return s;
  }
  Scalar number() {
    Scalar s;
    for (size_t kind = 0; kind < std::size(number_kind_names); ++kind)
      if (in_.accept(number_kind_names[kind])) {
        s.literal.kind = static_cast<Number::Kind>(kind);
        const Expr symbol = in_.expr();
        if (symbol.kind() != Expr::Kind::symbol) in_.fail("expected a symbol");
        s.symbol = symbol.id();
        return s;
      }
    s.literal = literal();
    return s;
  }
  Number literal() {
    if (in_.sees("true") || in_.sees("false")) return Number::of(flag());
    const double infinity = std::numeric_limits<double>::infinity();
    if (in_.accept("inf")) return Number::of(infinity);
    if (in_.accept("-inf")) return Number::of(-infinity);
    if (in_.accept("nan(0x")) {
      const Number n{Number::Kind::floating, static_cast<int64_t>(in_.integer<uint64_t>(16))};
      in_.expect(")");
      return n;
    }
    Cursor ahead = in_;
    const std::string_view word = ahead.word();
    return word.find_first_of(".e") == std::string_view::npos ? Number::of(in_.integer<int64_t>())
                                                              : Number::of(in_.floating());
  }

  Cursor& in_;
  Graph g_;
};

}  // namespace

Graph parse(std::string_view text) {
  Cursor in(text);
  Graph g = GraphParser(in).graph();
  if (!in.done()) in.fail("unexpected text");
  return g;
}

}  // namespace sinter::graph
