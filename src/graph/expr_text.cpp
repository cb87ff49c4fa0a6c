// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <charconv>
#include <limits>

#include "src/graph/expr.h"

namespace sinter::graph {
namespace {

using Kind = Expr::Kind;

uint64_t magnitude(int64_t v) { return v < 0 ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v); }

struct Function {
  std::string_view name;  ///< with the parenthesis
  Expr (*of)(Expr, Expr);
};

std::string factor(Expr e) {
  const bool simple = e.kind() == Kind::symbol || e.kind() == Kind::axis || e.kind() == Kind::value ||
                      e.kind() == Kind::min || e.kind() == Kind::max || e.kind() == Kind::doubled ||
                      (e.constant() && *e.constant() >= 0);
  return simple ? e.text() : "(" + e.text() + ")";
}

/// Recursive descent over: sum := product (('+'|'-') product)*; product := unary (('*'|'/'|'%') unary)*.
/// unary := '-' unary | '(' sum ')' | min(sum, sum) | max(sum, sum) | doubled(sum, sum) | s<i> | a<i> | v<i> | number.
class ExprParser {
 public:
  explicit ExprParser(std::string_view text) : text_(text) {}
  Expr all() {
    const Expr e = sum();
    skip();
    if (at_ != text_.size()) fail("unexpected text");
    return e;
  }
  Expr front(std::string_view& rest) {
    const Expr e = sum();
    rest = text_.substr(at_);
    return e;
  }

 private:
  Expr sum() {
    Expr e = term();
    for (;;) {
      if (take('+'))
        e = e + term();
      else if (take('-'))
        e = e - term();
      else
        return e;
    }
  }
  Expr term() {
    Expr e = unary();
    for (;;) {
      if (take('*'))
        e = e * unary();
      else if (!comment() && take('/'))
        e = floordiv(e, unary());
      else if (take('%'))
        e = mod(e, unary());
      else
        return e;
    }
  }
  Expr unary() {
    if (take('-')) return Expr(-1) * unary();
    if (take('(')) {
      const Expr e = sum();
      need(')');
      return e;
    }
    skip();
    for (const auto& [name, of] : {Function{"min(", min}, {"max(", max}, {"doubled(", doubled}}) {
      if (!text_.substr(at_).starts_with(name)) continue;
      at_ += name.size();
      const Expr a = sum();
      need(',');
      const Expr b = sum();
      need(')');
      return of(a, b);
    }
    if (at_ < text_.size() && (text_[at_] == 's' || text_[at_] == 'a' || text_[at_] == 'v')) {
      const char c = text_[at_++];
      const int i = id();
      return c == 's' ? Expr::symbol(i) : c == 'a' ? Expr::axis(i) : Expr::value(i);
    }
    return number();
  }
  /// Up to 2^63, which is only the lowest integer without its sign.
  int64_t number() {
    skip();
    uint64_t v = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), v);
    if (error != std::errc() || v > uint64_t{1} << 63) fail("expected a number");
    at_ += static_cast<size_t>(end - first);
    return static_cast<int64_t>(v);
  }
  int id() {
    const int64_t v = number();
    if (v < 0 || v > std::numeric_limits<int>::max()) fail("expected an id");
    return static_cast<int>(v);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool comment() {
    skip();
    return text_.substr(at_).starts_with("//");
  }
  void need(char c) {
    if (!take(c)) fail(fmt::format("expected '{}'", c));
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw CompileError(fmt::format("expression \"{}\", column {}: {}", text_, at_ + 1, what));
  }
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string Expr::text() const {
  switch (kind()) {
    case Kind::constant:
      return fmt::format("{}", *constant());
    case Kind::symbol:
      return fmt::format("s{}", id());
    case Kind::axis:
      return fmt::format("a{}", id());
    case Kind::value:
      return fmt::format("v{}", id());
    case Kind::sum: {
      std::string s;
      for (const auto& [c, t] : terms()) {
        if (c < 0)
          s += s.empty() ? "-" : " - ";
        else if (!s.empty())
          s += " + ";
        const std::string term = t.kind() == Kind::product ? t.text() : factor(t);
        s += magnitude(c) == 1 ? term : fmt::format("{}*{}", magnitude(c), term);
      }
      if (offset() != 0) s += fmt::format(" {} {}", offset() < 0 ? '-' : '+', magnitude(offset()));
      return s;
    }
    case Kind::product: {
      std::string s;
      for (Expr o : operands()) s += (s.empty() ? "" : "*") + factor(o);
      return s;
    }
    case Kind::floordiv:
      return factor(operands()[0]) + " / " + factor(operands()[1]);
    case Kind::mod:
      return factor(operands()[0]) + " % " + factor(operands()[1]);
    case Kind::min:
      return "min(" + operands()[0].text() + ", " + operands()[1].text() + ")";
    case Kind::max:
      return "max(" + operands()[0].text() + ", " + operands()[1].text() + ")";
    case Kind::doubled:
      return "doubled(" + operands()[0].text() + ", " + operands()[1].text() + ")";
  }
  return "?";
}

Expr Expr::parse(std::string_view text) { return ExprParser(text).all(); }
Expr Expr::parse_front(std::string_view& text) { return ExprParser(text).front(text); }

}  // namespace sinter::graph
