// Parts of lists, and lists in a row.
#pragma once

#include <vector>

namespace dagaz::passes::ad {

/// values[from], …, values[to-1]
template <typename T>
std::vector<T> part(const std::vector<T>& values, std::size_t from, std::size_t to) {
  const auto begin = values.begin();
  return {begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to)};
}

template <typename T>
std::vector<T> concatenated(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace dagaz::passes::ad
