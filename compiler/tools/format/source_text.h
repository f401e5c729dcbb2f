// The text being formatted: its lines, tokens and comments by position.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/source.h"
#include "syntax/trivia.h"

namespace dagaz::tools {

class SourceText {
 public:
  SourceText(const SourceFile& file, const syntax::Trivia& trivia);

  std::string_view text(const Range& range) const {
    return text_.substr(range.begin, range.end - range.begin);
  }
  /// The line of a byte, from 0.
  std::size_t line(std::uint32_t offset) const;
  bool spans_lines(const Range& range) const { return line(range.begin) != line(range.end); }
  /// Whether the line before that of the byte is blank, and nothing precedes the byte on its own.
  bool follows_blank_line(std::uint32_t offset) const;
  /// Whether nothing but blanks precedes the byte on its line.
  bool begins_line(std::uint32_t offset) const;

  /// The last token that ends at or before the byte; it must exist.
  const Range& token_before(std::uint32_t offset) const;
  /// The first token that begins at or behind the byte; it must exist.
  const Range& token_from(std::uint32_t offset) const;
  const std::vector<Range>& tokens() const { return trivia_.tokens; }
  bool token_is(const Range& token, std::string_view spelling) const {
    return text(token) == spelling;
  }
  const std::vector<Range>& comments() const { return trivia_.comments; }
  /// The ranges of a node inside its parentheses, the innermost first; null if it has none.
  const std::vector<Range>* parentheses(const void* node) const;

 private:
  std::string_view text_;
  const syntax::Trivia& trivia_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace dagaz::tools
