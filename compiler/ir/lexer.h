// Words of the text form of the IR.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace dagaz::ir::text {

enum class TokenKind : std::uint8_t { word, number, text, punctuation, end };

struct Token {
  TokenKind kind;
  std::string_view spelling;  // texts without their quotes, escapes as written
  std::uint32_t begin;
  std::uint32_t end;
};

/// All tokens of `source`, the last of kind `end`.  Unknown characters become punctuation.
std::vector<Token> tokenize(std::string_view source);

/// A text token's characters, escapes resolved.
std::string unescaped(std::string_view spelling);

}  // namespace dagaz::ir::text
