// Passes of radix sorts: points of a map that put elements where the next one with their digit
// goes; see radix_pass.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// Each point of a map walks `length` elements in order.
struct RadixPass {
  std::vector<ir::Statement> before;  // what the point computes first: scalars and views
  ir::NameId starts;                  // where its elements with each digit begin
  std::int64_t digits;                // values of a digit
  ir::NameId element;                 // the number of one, in `body`
  ir::Operand length;
  ir::Body body;                         // results: the digit, and what goes to each accumulator
  std::vector<ir::NameId> accumulators;  // outside of the map
};

/// What `map` does if it is such a pass, of digits with at most `most_digits` values.
std::optional<RadixPass> radix_pass_of(const ir::SegmentedMap& map, const ir::Names& names,
                                       std::int64_t most_digits);

}  // namespace dagaz::plan
