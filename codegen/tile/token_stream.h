// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/tile/lexer.h"

namespace sinter::tile_ir {

/// Reads tokens one by one with the errors a person needs.
class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek() const { return tokens_[at_]; }
  Token next() {
    const Token t = tokens_[at_];
    at_ = std::min(at_ + 1, tokens_.size() - 1);
    return t;
  }
  bool is(Token::Kind kind, std::string_view text) const { return peek().kind == kind && peek().text == text; }
  bool accept(std::string_view text) {
    if (!is(Token::Kind::punctuation, text) && !is(Token::Kind::word, text)) return false;
    next();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail_at(peek(), fmt::format("expected '{}', got {}", text, seen(peek())));
  }
  Token expect(Token::Kind kind, std::string_view what) {
    if (peek().kind != kind) fail_at(peek(), fmt::format("expected {}, got {}", what, seen(peek())));
    return next();
  }
  void skip_newlines() {
    while (peek().kind == Token::Kind::newline) next();
  }

  int64_t integer() { return to_integer<int64_t>(expect(Token::Kind::number, "an integer")); }

  template <class T>
  static T to_integer(const Token& t) {
    std::string_view s = t.text;
    T v{};
    const bool hexadecimal = s.starts_with("0x");
    if (hexadecimal) s.remove_prefix(2);
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != s.data() + s.size())
      fail_at(t, fmt::format("'{}' is no integer in range", t.text));
    return v;
  }

  template <class T>
  static T to_floating(const Token& t) {
    T v{};
    const auto [end, error] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), v);
    if (error != std::errc() || end != t.text.data() + t.text.size())
      fail_at(t, fmt::format("'{}' is no number in range", t.text));
    return v;
  }

  static std::string seen(const Token& t) {
    if (t.kind == Token::Kind::end) return "the end of the text";
    if (t.kind == Token::Kind::newline) return "the end of the line";
    return fmt::format("'{}'", t.text);
  }

 private:
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace sinter::tile_ir
