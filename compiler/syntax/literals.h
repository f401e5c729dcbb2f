// The values of literals: integers in any base, reals, characters and strings with escapes.
// Each function takes the exact text of the token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "syntax/ast.h"

namespace dagaz::syntax {

/// `12`, `0xFFu8`, `0b1_0`, `0rXLIIi64`
ast::IntegerLiteral integer_value(std::string_view text);

/// `1.5`, `1e3f32`, `0x1.8p3f64`
ast::FloatLiteral real_value(std::string_view text);

/// The UTF-8 bytes that the inside of a string or character literal stands for, or nothing if an
/// escape is unknown or the text is not UTF-8.
std::optional<std::string> unescape(std::string_view inside);

/// The code point that `utf8` consists of, or nothing if it is not exactly one.
std::optional<std::uint32_t> single_code_point(std::string_view utf8);

}  // namespace dagaz::syntax
