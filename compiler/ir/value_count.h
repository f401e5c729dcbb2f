// How many values the operators of a reduction, scan or histogram have together: so many results,
// or mapped values, are theirs.
#pragma once

#include <cstddef>

namespace dagaz::ir {

template <typename Operators>
std::size_t value_count(const Operators& operators) {
  std::size_t count = 0;
  for (const auto& one : operators) count += one.neutral.size();
  return count;
}

}  // namespace dagaz::ir
