// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/lexer.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <cctype>

namespace sinter::tile_ir {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<std::string>& comments) : text_(text), comments_(comments) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    newline();
    add(Token::Kind::end, at_, at_);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void add(Token::Kind kind, size_t from, size_t to) {
    tokens_.push_back({kind, text_.substr(from, to - from), line_, static_cast<int>(from - line_start_) + 1});
  }

  void newline() {
    if (!tokens_.empty() && tokens_.back().kind != Token::Kind::newline) add(Token::Kind::newline, at_, at_);
  }

  void comment() {
    size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) end = text_.size();
    std::string_view body = text_.substr(at_ + 2, end - at_ - 2);
    if (body.starts_with(' ')) body.remove_prefix(1);
    if (tokens_.empty()) comments_.emplace_back(body);
    at_ = end;
  }

  void number() {
    const size_t from = at_++;
    const bool hexadecimal = peek(0) == 'x' && text_[from] == '0';
    while (is_word(peek()) ||
           ((peek() == '+' || peek() == '-') && !hexadecimal && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
      ++at_;
    add(Token::Kind::number, from, at_);
  }

  void name(Token::Kind kind, size_t skip) {
    const size_t from = at_;
    at_ += skip;
    while (is_word(peek())) ++at_;
    add(kind, from, at_);
    tokens_.back().text.remove_prefix(skip);
    if (tokens_.back().text.empty()) fail_at(tokens_.back(), fmt::format("a name must follow '{}'", text_[from]));
  }

  void step() {
    const char c = peek();
    if (c == '\n') {
      newline();
      line_start_ = ++at_;
      ++line_;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      comment();
    } else if (is_digit(c) || (c == '-' && is_digit(peek(1)))) {
      number();
    } else if (is_word(c)) {
      name(Token::Kind::word, 0);
    } else if (c == '%' || c == '@') {
      name(c == '%' ? Token::Kind::value : Token::Kind::parameter, 1);
    } else {
      ++at_;
      add(Token::Kind::punctuation, at_ - 1, at_);
    }
  }

  std::string_view text_;
  std::vector<std::string>& comments_;
  std::vector<Token> tokens_;
  size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Token> lex(std::string_view text, std::vector<std::string>& leading_comments) {
  return Lexer(text, leading_comments).run();
}

void fail_at(const Token& token, const std::string& what) {
  throw CompileError(fmt::format("tile text, line {}, column {}: {}", token.line, token.column, what));
}

}  // namespace sinter::tile_ir
