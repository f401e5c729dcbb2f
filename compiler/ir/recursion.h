// Functions that call themselves, directly or through others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/program.h"

namespace dagaz::ir {

/// Why a program fails whose calls nest deeper than its thread's stack is large.
inline constexpr std::string_view too_deep_recursion =
    "Recursion is too deep: no stack is left for this call.";

/// The functions that reach themselves, each with the number of its cycle: those of one cycle reach
/// each other.
std::unordered_map<std::string, std::size_t> recursive_functions(const Program& program);

}  // namespace dagaz::ir
