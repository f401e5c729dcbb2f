// See source_text.h.
#include "tools/format/source_text.h"

#include <algorithm>

#include "support/check.h"

namespace dagaz::tools {

SourceText::SourceText(const SourceFile& file, const syntax::Trivia& trivia)
    : text_(file.text()), trivia_(trivia), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::size_t SourceText::line(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin()) - 1;
}

static bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

bool SourceText::begins_line(std::uint32_t offset) const {
  const std::uint32_t start = line_starts_[line(offset)];
  return is_blank(text_.substr(start, offset - start));
}

bool SourceText::follows_blank_line(std::uint32_t offset) const {
  const std::size_t here = line(offset);
  if (here == 0 || !begins_line(offset)) return false;
  const std::uint32_t before = line_starts_[here - 1];
  return is_blank(text_.substr(before, line_starts_[here] - before));
}

const Range& SourceText::token_before(std::uint32_t offset) const {
  const auto& tokens = trivia_.tokens;
  const auto after = std::partition_point(
      tokens.begin(), tokens.end(), [&](const Range& token) { return token.end <= offset; });
  DZ_CHECK(after != tokens.begin(), "a token precedes");
  return *(after - 1);
}

const Range& SourceText::token_from(std::uint32_t offset) const {
  const auto& tokens = trivia_.tokens;
  const auto found = std::partition_point(
      tokens.begin(), tokens.end(), [&](const Range& token) { return token.begin < offset; });
  DZ_CHECK(found != tokens.end(), "a token follows");
  return *found;
}

const std::vector<Range>* SourceText::parentheses(const void* node) const {
  const auto found = trivia_.parentheses.find(node);
  return found == trivia_.parentheses.end() ? nullptr : &found->second;
}

}  // namespace dagaz::tools
