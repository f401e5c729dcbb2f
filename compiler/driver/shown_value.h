// Values of any type through programs whose entry points give scalars and arrays only: the value is
// taken apart by the program and put together again for printing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/analysis.h"

namespace dagaz::driver {

/// How a value of one type is taken apart.
struct Parts {
  /// Expressions that denote arrays or scalars, in terms of the value's.
  std::vector<std::string> expressions;
  /// Why the value cannot be shown; empty if it can.
  std::string problem = {};
};

/// The parts of `value`, an expression in the program of `analysis`, which has a name `repl_map`
/// for the library's `map`.
Parts parts_of(const query::Analysis& analysis, const check::Type* type, const std::string& value);

/// The value as a program would write it, without the types of its numbers.  `lines` are the values
/// of its parts as compiled programs print them.
std::string shown_value(const query::Analysis& analysis, const check::Type* type,
                        const std::vector<std::string>& lines);

}  // namespace dagaz::driver
