// The words of the language.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dagaz::query {

std::span<const std::string_view> keywords();
/// Whether `text` is spelled like a name or a keyword.
bool is_word(std::string_view text);
/// Whether `text` can be the name of a value.
bool is_identifier(std::string_view text);
bool is_operator(std::string_view text);
/// `i32`, `bool` …
bool is_primitive_type(std::string_view text);
bool is_word_character(char c);

}  // namespace dagaz::query
