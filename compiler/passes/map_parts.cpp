#include "passes/map_parts.h"

#include <unordered_set>

#include "ir/fields.h"

namespace dagaz::passes {

using namespace ir;

void select_results(Statement& statement, MapScanReduce& map,
                    FunctionRef<bool(std::size_t)> is_wanted) {
  for (std::size_t k = statement.results.size(); k-- > 0;) {
    if (is_wanted(k)) continue;
    const auto at = static_cast<std::ptrdiff_t>(k);
    statement.results.erase(statement.results.begin() + at);
    map.map.body.results.erase(map.map.body.results.begin() + at);
    map.map.result_types.erase(map.map.result_types.begin() + at);
  }
}

void drop_arrays(std::vector<NameId>& arrays, Lambda& function,
                 FunctionRef<bool(std::size_t)> is_dropped) {
  for (std::size_t k = arrays.size(); k-- > 0;) {
    if (!is_dropped(k)) continue;
    const auto at = static_cast<std::ptrdiff_t>(k);
    arrays.erase(arrays.begin() + at);
    function.parameters.erase(function.parameters.begin() + at);
  }
}

void drop_unread(MapScanReduce& map, const Names& names) {
  const std::vector<NameId> used = free_names(map.map.body, names);
  const std::unordered_set<NameId> read(used.begin(), used.end());
  drop_arrays(map.arrays, map.map,
              [&](std::size_t k) { return !read.contains(map.map.parameters[k].name); });
}

}  // namespace dagaz::passes
