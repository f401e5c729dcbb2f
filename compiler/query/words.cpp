// See words.h.
#include "query/words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "check/type_builder.h"

namespace dagaz::query {

static constexpr std::array<std::string_view, 24> keyword_table{
    "assert", "case",    "def", "do",    "else", "entry", "false", "for",
    "if",     "import",  "in",  "include", "let",  "local", "loop",  "match",
    "module", "open",    "then", "true",  "type", "val",   "while", "with"};

std::span<const std::string_view> keywords() { return keyword_table; }

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

bool is_word(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         text[0] != '\'' && std::all_of(text.begin(), text.end(), is_word_character);
}

bool is_identifier(std::string_view text) {
  return is_word(text) && text != "_" &&
         std::find(keyword_table.begin(), keyword_table.end(), text) == keyword_table.end();
}

bool is_operator(std::string_view text) {
  return !text.empty() && text.find_first_not_of("+-*/%=!><|&^.") == std::string_view::npos &&
         text[0] != '.' && text != "=" && text != "|" && text != "->" && text != "!";
}

bool is_primitive_type(std::string_view text) {
  for (int i = 0; i < 12; ++i) {
    if (check::primitive_name(static_cast<check::Primitive>(i)) == text) return true;
  }
  return false;
}

}  // namespace dagaz::query
