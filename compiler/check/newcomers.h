// What those who come from elsewhere write, and what it is called here.
#pragma once

#include <string_view>
#include <vector>

#include "check/context.h"

namespace dagaz::check {

/// The types that other languages call `name`; empty if that is none that is known.  Several names,
/// the likeliest first, where the other language's has another size on other machines.
std::vector<std::string_view> types_called(std::string_view name);

/// Which file of the standard library, of those that are not part of the program, defines a value
/// of that name; empty if none does.
std::string_view library_defining(const ast::Program& program, std::string_view name);

/// Adds what newcomers look for where the value `name` at `range` is unknown.
void hint_at_unknown_value(Diagnostic& diagnostic, const Context& context, std::string_view name,
                           const Range& range);
/// The same for a type.
void hint_at_unknown_type(Diagnostic& diagnostic, std::string_view name, const Range& range);

}  // namespace dagaz::check
