#include "plan/memory_elements.h"

#include <algorithm>
#include <unordered_map>

#include "ir/names.h"
#include "plan/asked_elements.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

std::optional<MemoryElements> elements_of(const ir::Body& body, const std::vector<NameId>& values,
                                          const ir::Names& names) {
  MemoryElements all{std::vector<MemoryElement>(values.size()), {}};
  std::unordered_map<NameId, MemoryElement> rows;
  const auto is_value = [&](NameId name) { return std::ranges::count(values, name) > 0; };
  for (const ir::Statement& one : body.statements) {
    if (std::ranges::any_of(ir::free_names(one, names), is_value)) return std::nullopt;
    const ir::Index* const read = read_of(one);
    if (read == nullptr) {
      if (as<ir::Scalar>(one.operation) == nullptr) return std::nullopt;
      all.places.statements.push_back(one);
      continue;
    }
    const auto row = rows.find(read->array);
    MemoryElement element = row == rows.end() ? MemoryElement{read->array, {}} : row->second;
    element.indices.insert(element.indices.end(), read->indices.begin(), read->indices.end());
    const NameId result = one.results[0].name;
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      if (branch->else_body.results[0] != Operand(ir::zero_of(names.type(result).element))) {
        return std::nullopt;
      }
      element.condition = branch->condition;
    }
    if (names.type(result).is_array()) {
      rows.emplace(result, std::move(element));
    } else if (is_value(result)) {
      const auto value = std::ranges::find(values, result) - values.begin();
      all.reads[static_cast<std::size_t>(value)] = std::move(element);
    } else {
      return std::nullopt;
    }
  }
  return all;
}

}  // namespace dagaz::plan
