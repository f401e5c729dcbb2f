// Recursion of programs.
#pragma once

#include <string_view>

namespace dagaz::ir {

/// Why a program fails whose calls nest deeper than its thread's stack is large.
inline constexpr std::string_view too_deep_recursion =
    "Recursion is too deep: no stack is left for this call.";

}  // namespace dagaz::ir
