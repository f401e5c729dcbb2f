#include "plan/joined_sums.h"

#include <utility>

#include "plan/product_parts.h"

namespace dagaz::plan {

std::optional<ir::SegmentedReduce> joined_sums(const ir::SegmentedReduce& e, ir::Names& names) {
  std::optional<SumParts> parts = sum_parts(e, Branches::refused, names);
  if (!parts || parts->levels.size() < 2) return std::nullopt;
  ir::SegmentedReduce joined = e;
  for (auto level = parts->levels.begin() + 1; level != parts->levels.end(); ++level) {
    joined.space.push_back({{level->element}, level->width});
  }
  joined.body = std::move(parts->elements);
  return joined;
}

}  // namespace dagaz::plan
