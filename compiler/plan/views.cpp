#include "plan/views.h"

#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::Operand;

std::vector<int> inverse(const std::vector<int>& permutation) {
  std::vector<int> result(permutation.size());
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    result[static_cast<std::size_t>(permutation[k])] = static_cast<int>(k);
  }
  return result;
}

bool is_strided_view(const ir::Operation& operation) {
  return as<ir::Index>(operation) || as<ir::Slice>(operation) || as<ir::Permute>(operation);
}

bool keeps_order(const std::vector<ir::SliceDimension>& dimensions,
                 const std::vector<Operand>& shape) {
  bool cut = false;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const ir::SliceDimension& one = dimensions[k];
    if (one.fixed) {
      if (cut) return false;
      continue;
    }
    const bool steps = is_constant(one.stride, 1);
    const bool whole = steps && is_constant(one.start, 0) && one.count == shape[k];
    if ((cut && !whole) || !steps) return false;
    cut = true;
  }
  return true;
}

bool leaves_order(const std::vector<int>& order, std::size_t fixed) {
  if (order.size() <= fixed) return false;
  for (std::size_t k = 0; k + fixed < order.size(); ++k) {
    if (order[k] != static_cast<int>(k + fixed)) return false;
  }
  return true;
}

std::optional<std::vector<int>> same_but_for_ones(const std::vector<Operand>& from,
                                                  const std::vector<Operand>& to) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!is_constant(from[k], 1)) kept.push_back(k);
  }
  std::vector<int> dimensions;
  std::size_t next = 0;
  for (const Operand& size : to) {
    if (is_constant(size, 1)) {
      dimensions.push_back(-1);
    } else if (next < kept.size() && from[kept[next]] == size) {
      dimensions.push_back(static_cast<int>(kept[next++]));
    } else {
      return std::nullopt;
    }
  }
  if (next != kept.size()) return std::nullopt;
  return dimensions;
}

std::optional<std::size_t> split_dimension(const std::vector<Operand>& from,
                                           const std::vector<Operand>& to) {
  if (from.empty() || to.size() < from.size()) return std::nullopt;
  const std::size_t added = to.size() - from.size();
  std::size_t split = 0;
  while (split + 1 < from.size() && from[split] == to[split]) ++split;
  for (std::size_t k = split + 1; k < from.size(); ++k) {
    if (from[k] != to[k + added]) return std::nullopt;
  }
  return split;
}

}  // namespace dagaz::plan
