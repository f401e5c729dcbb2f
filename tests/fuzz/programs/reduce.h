// Makes a failing program smaller.
#pragma once

#include <functional>
#include <string>

#include "source_tree.h"

namespace dagaz::fuzz {

/// Replaces expressions by plain ones, or by parts of themselves, and leaves out declarations, for
/// as long as `fails` says so of the smaller program, and for at most `seconds`.
Source reduced(Source program, const std::function<bool(const std::string&)>& fails,
               double seconds);

}  // namespace dagaz::fuzz
