// Places that a reduction carries along: the index of the greatest element beside it.
//
//   reduce (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j)) … (zip xs
//   (iota n))
//
// A lane meets places in rising order.  As long as an operator does nothing with them but choose
// one and ask which comes first, the answer is known, i < j, and a lane may keep the number of the
// step at which it met the element, in 32 bits, instead of the place.  Only a neutral element's
// place is out of order: lanes begin with their first elements.
#pragma once

#include <optional>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// Most steps that a lane can number.
constexpr std::int64_t most_steps = std::int64_t{1} << 32;

/// Whether `op` does with the `value`-th of its values only what is said above.
bool only_chooses(const ir::Lambda& op, std::size_t value, const ir::Names& names);
/// `op` for a left argument that was met before the right one: of `values`, which it only chooses,
/// it is handed i32 steps.
ir::Lambda over_steps(const ir::Lambda& op, const std::vector<std::size_t>& values,
                      ir::Names& names);

}  // namespace dagaz::plan
