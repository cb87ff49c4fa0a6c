// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::tile_ir {

struct Token {
  enum class Kind : uint8_t { word, value, parameter, number, punctuation, newline, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< without the leading % or @
  int line = 0;
  int column = 0;
};

/// Tokens of the text form of the tile IR, ended by one `end`. Newlines are tokens, several in a row are one; comments
/// are dropped, except that those above the kernel are returned in `leading_comments`. A number token is everything
/// that starts with a digit or with '-' and a digit, so that the dims `16x64` are one token.
std::vector<Token> lex(std::string_view text, std::vector<std::string>& leading_comments);

[[noreturn]] void fail_at(const Token& token, const std::string& what);

}  // namespace sinter::tile_ir
