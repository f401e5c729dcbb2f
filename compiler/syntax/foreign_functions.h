// How other languages begin a function without a name: for hints.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dagaz::syntax {

inline bool begins_function_elsewhere(std::string_view word) {
  constexpr std::array<std::string_view, 5> words{"fn", "fun", "lambda", "function", "func"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

inline constexpr const char* lambda_hint = "a function without a name is written `\\x -> …`";

}  // namespace dagaz::syntax
