// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "src/graph/registry.h"
#include "src/loop/program.h"
#include "src/loop/text.h"

namespace sinter::loop {
namespace {

/// Reads one line word by word.
class Line {
 public:
  Line(std::string_view text, int number) : rest_(text), number_(number) { skip(); }
  int number() const { return number_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw CompileError(fmt::format("internal: loop program, line {}: {}", number_, what));
  }
  bool done() const { return rest_.empty(); }
  bool sees(std::string_view text) const { return rest_.starts_with(text); }
  std::string_view rest() { return std::exchange(rest_, {}); }
  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    skip();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) fail(fmt::format("expected '{}' at '{}'", word, rest_));
  }
  std::string_view word(std::string_view stops = " ,{}[]<>") {
    const size_t n = std::min(rest_.find_first_of(stops), rest_.size());
    if (n == 0) fail(fmt::format("expected a word at '{}'", rest_));
    return take(n);
  }
  /// A number, after `prefix`.
  template <class T = int>
  T number(std::string_view prefix = "") {
    if (!rest_.starts_with(prefix)) fail(fmt::format("expected {} and a number at '{}'", prefix, rest_));
    rest_.remove_prefix(prefix.size());
    const std::string_view w = word();
    T v{};
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), v);
    if (error != std::errc() || end != w.data() + w.size()) fail(fmt::format("'{}' is no number", w));
    return v;
  }
  DType dtype() {
    const std::string_view w = word();
    if (const auto t = DType::parse(w)) return *t;
    fail(fmt::format("'{}' is no dtype", w));
  }
  /// An expression up to a comma or bracket outside parentheses.
  Expr expr() {
    size_t n = 0;
    for (int depth = 0; n < rest_.size(); ++n) {
      const char c = rest_[n];
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && (c == ',' || c == ']')) break;
    }
    return Expr::parse(take(n));
  }
  std::vector<Expr> list() {
    std::vector<Expr> v;
    expect("[");
    while (!accept("]")) {
      v.push_back(expr());
      if (!accept(",") && !rest_.starts_with("]")) fail("expected ',' or ']'");
    }
    return v;
  }

 private:
  std::string_view take(size_t n) {
    std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    skip();
    while (!w.empty() && w.back() == ' ') w.remove_suffix(1);
    return w;
  }
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest_;
  int number_;
};

template <size_t n>
std::optional<size_t> find(const std::string_view (&names)[n], std::string_view word) {
  for (size_t i = 0; i < n; ++i)
    if (names[i] == word) return i;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Program program() {
    Line head = next();
    head.expect("program");
    p_.name = head.word();
    head.expect("{");
    for (Line line = next(); !line.accept("}"); line = next()) declaration(line);
    return std::move(p_);
  }

 private:
  Line next() {
    for (;;) {
      if (text_.empty()) throw CompileError("internal: loop program ends early");
      const size_t n = std::min(text_.find('\n'), text_.size());
      const Line line(text_.substr(0, n), ++number_);
      text_.remove_prefix(std::min(n + 1, text_.size()));
      if (!line.done()) return line;
    }
  }

  void declaration(Line& line) {
    if (line.accept("symbols ")) {
      p_.symbol_count = line.number();
    } else if (line.accept("range ")) {
      const int s = line.number("s");
      const auto lo = line.number<int64_t>(), hi = line.number<int64_t>();
      p_.ranges.set_symbol(s, lo, hi);
    } else if (line.accept("number ")) {
      const auto s = static_cast<size_t>(line.number("s"));
      if (p_.number_types.size() <= s) p_.number_types.resize(s + 1, boolean);
      p_.number_types[s] = line.dtype();
    } else if (line.accept("buffer ")) {
      buffer(line);
    } else if (line.accept("status")) {
      p_.uses_status = true;
    } else if (line.accept("message ")) {
      message(std::string(line.rest()));
    } else if (line.accept("alias ")) {
      alias(line);
    } else {
      line.expect("group ");
      group(line);
    }
  }

  void message(std::string m) {
    for (size_t at = 0; (at = m.find("\\n", at)) != std::string::npos;) m.replace(at, 2, "\n");
    p_.messages.push_back(std::move(m));
  }

  void alias(Line& line) {
    Alias a;
    line.expect("output");
    a.output = line.number();
    a.of_output = line.accept("of");
    if (!a.of_output) line.expect("input");
    a.base = line.number();
    line.expect("strides");
    a.strides = line.list();
    line.expect("offset");
    a.offset = line.list().at(0);
    p_.aliases.push_back(std::move(a));
  }

  void buffer(Line& line) {
    if (line.number("b") != static_cast<int>(p_.buffers.size())) line.fail("buffers are numbered in order");
    Buffer b;
    const auto role = find(role_names, line.word());
    if (!role) line.fail("no such role");
    b.role = static_cast<BufferRole>(*role);
    b.position = line.number();
    b.written = line.accept("written");
    b.overlapped = line.accept("overlapped");
    line.expect(":");
    b.dtype = line.dtype();
    b.shape = line.list();
    line.expect("strides");
    b.strides = line.list();
    line.expect("offset");
    b.offset = line.list().at(0);
    p_.buffers.push_back(std::move(b));
  }

  void group(Line& head) {
    Group g;
    g.name = head.word();
    head.expect("{");
    for (Line line = next(); !line.accept("}"); line = next()) {
      if (line.accept("nodes ")) {
        while (!line.done()) g.nodes.push_back(line.number());
      } else if (line.accept("note ")) {
        g.notes.emplace_back(line.rest());
      } else if (line.accept("comment ")) {
        g.comments.emplace_back(line.rest());
      } else if (line.accept("call ")) {
        g.call = call(line);
      } else {
        line.expect("nest");
        g.nests.push_back(nest(line));
      }
    }
    p_.groups.push_back(std::move(g));
  }

  Call call(Line& head) {
    Call c;
    const std::string_view name = head.word();
    c.op = graph::find_op(name);
    if (c.op == nullptr) head.fail(fmt::format("there is no op {}", name));
    head.expect("by");
    c.provider = head.word();
    if (c.provider == "nobody") c.provider.clear();
    for (Line line = next(); !line.accept("}"); line = next()) {
      if (line.accept("words ")) {
        while (!line.done()) c.attributes.words.push_back(line.number<int64_t>());
      } else if (line.accept("extent ")) {
        c.attributes.scalars.push_back(extent(line.list().at(0)));
      } else if (line.accept("number ")) {
        c.attributes.scalars.push_back(number(line));
      } else if (line.accept("operand ")) {
        c.operands.push_back(tensor(line));
      } else {
        line.expect("result ");
        c.results.push_back(tensor(line));
      }
    }
    return c;
  }

  static graph::Scalar extent(Expr e) {
    graph::Scalar s;
    s.literal = graph::Number::of(e.constant().value_or(0));
    s.expr = e;
    s.is_extent = true;
    return s;
  }

  static graph::Scalar number(Line& line) {
    graph::Scalar s;
    const int kind = line.number();
    if (kind < 0 || kind > static_cast<int>(graph::Number::Kind::floating)) line.fail("no such kind of number");
    s.literal.kind = static_cast<graph::Number::Kind>(kind);
    if (line.sees("s"))
      s.symbol = line.number("s");
    else
      s.literal.bits = line.number<int64_t>();
    return s;
  }

  static CallTensor tensor(Line& line) {
    CallTensor t;
    t.buffer = line.number("b");
    line.expect(":");
    t.shape = line.list();
    line.expect("strides");
    t.strides = line.list();
    line.expect("offset");
    t.offset = line.list().at(0);
    return t;
  }

  static ReduceKind fold_kind(Line& line) {
    const auto kind = find(reduce_kind_names, line.word());
    if (!kind) line.fail("no such reduction");
    return static_cast<ReduceKind>(*kind);
  }

  Nest nest(Line& head) {
    Nest n;
    head.expect("[");
    while (!head.accept("]")) {
      Axis axis;
      axis.reduction = head.accept("reduce ");
      if (head.number("a") != static_cast<int>(n.axes.size())) head.fail("axes are numbered in order");
      head.expect("<");
      axis.extent = head.expr();
      n.axes.push_back(axis);
      head.accept(",");
    }
    for (Line line = next(); !line.accept("}"); line = next()) {
      const bool accumulates = line.accept("accumulate ");
      if (accumulates || line.accept("store ")) {
        Store s;
        if (accumulates) s.fold = fold_kind(line);
        s.buffer = line.number("b");
        s.index = line.list();
        line.expect("=");
        s.value = line.number("%");
        n.stores.push_back(std::move(s));
        continue;
      }
      const int id = line.number("%");
      line.expect("=");
      if (n.body.append(instruction(line)).id != id) line.fail("values are numbered in order, equal ones once");
    }
    return n;
  }

  Instruction instruction(Line& line) {
    Instruction in{.kind = InstructionKind::scalar, .type = f32, .attribute = f32, .index = {}};
    const std::string_view op = line.word();
    std::string_view literal;
    if (op == "constant") {
      in.kind = InstructionKind::constant;
      literal = line.word();
    } else if (op == "number") {
      in.kind = InstructionKind::number;
      in.id = line.number("s");
    } else if (op == "load") {
      load(line, in);
    } else if (op == "index") {
      in.kind = InstructionKind::index_value;
      in.index = line.list();
    } else if (op == "to_index") {
      to_index(line, in);
    } else if (op == "reduce") {
      in.kind = InstructionKind::reduce;
      in.id = static_cast<int32_t>(fold_kind(line));
      in.operands[0] = line.number("%");
    } else if (op == "scan") {
      scan(line, in);
    } else {
      scalar_op(line, op, in);
    }
    line.expect(":");
    in.type = line.dtype();
    if (in.kind == InstructionKind::constant) in.bits = constant_bits(line, in.type, literal);
    return in;
  }

  void scan(Line& line, Instruction& in) {
    in.kind = InstructionKind::scan;
    const auto kind = find(scalar::scan_kind_names, line.word());
    if (!kind) line.fail("no such scan");
    in.id = static_cast<int32_t>(*kind);
    in.operands[0] = line.number("%");
    if (line.accept(",")) in.operands[1] = line.number("%");
    line.expect("along");
    in.index = line.list();
    if (in.index.size() != 1) line.fail("a scan goes along one axis");
  }

  void load(Line& line, Instruction& in) {
    in.kind = InstructionKind::load;
    in.id = line.number("b");
    if (in.id < 0 || static_cast<size_t>(in.id) >= p_.buffers.size()) line.fail("no such buffer");
    in.attribute = p_.buffers[static_cast<size_t>(in.id)].dtype;
    in.index = line.list();
    if (!line.accept("if ")) return;
    in.operands[0] = line.number("%");
    line.expect("else");
    in.operands[1] = line.number("%");
  }

  static void to_index(Line& line, Instruction& in) {
    in.kind = InstructionKind::to_index;
    in.mode = line.accept("clamp") ? IndexMode::clamp : IndexMode::check;
    if (in.mode == IndexMode::check) line.expect("check");
    in.operands[0] = line.number("%");
    in.index = line.list();
    if (in.mode == IndexMode::check) {
      line.expect("message");
      in.id = line.number();
    }
  }

  static void scalar_op(Line& line, std::string_view name, Instruction& in) {
    const auto op = scalar::find_scalar_op(name);
    if (!op) line.fail(fmt::format("no op '{}'", name));
    in.op = *op;
    if (has_attribute(*op)) {
      line.expect("<");
      in.attribute = line.dtype();
      line.expect(">");
    }
    for (size_t i = 0; i < static_cast<size_t>(scalar::info(*op).arity); ++i) {
      if (i > 0) line.expect(",");
      in.operands[i] = line.number("%");
    }
  }

  static uint64_t constant_bits(const Line& line, DType t, std::string_view w) {
    const char *begin = w.data(), *end = w.data() + w.size();
    const auto complete = [&](std::from_chars_result r) {
      if (r.ec != std::errc() || r.ptr != end) line.fail(fmt::format("'{}' is no {}", w, t.name()));
    };
    if (w.starts_with("0x")) {
      uint64_t bits = 0;
      complete(std::from_chars(begin + 2, end, bits, 16));
      return bits;
    }
    if (t == f32) {
      float v = 0;
      complete(std::from_chars(begin, end, v));
      return std::bit_cast<uint32_t>(v);
    }
    if (t == f64) {
      double v = 0;
      complete(std::from_chars(begin, end, v));
      return std::bit_cast<uint64_t>(v);
    }
    if (t == u64) {
      uint64_t v = 0;
      complete(std::from_chars(begin, end, v));
      return v;
    }
    int64_t v = 0;
    complete(std::from_chars(begin, end, v));
    return t.is_boolean() ? static_cast<uint64_t>(v != 0) : scalar::constant_int(t, v).bits;
  }

  std::string_view text_;
  int number_ = 0;
  Program p_;
};

}  // namespace

Program parse(std::string_view text) { return Parser(text).program(); }

}  // namespace sinter::loop
