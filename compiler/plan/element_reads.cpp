#include "plan/element_reads.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "support/match.h"

namespace dagaz::plan {

std::vector<ElementRead> element_reads(const ir::Body& body, ir::NameId index,
                                       const Surroundings& around) {
  const ir::Operand along = index;
  std::unordered_set<ir::NameId> inside;
  const auto is_steady = [&](const ir::Operand& other) {
    return other != along && !(other.is_name() && inside.contains(other.name()));
  };
  std::vector<ElementRead> reads;
  for (const ir::Statement& one : body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    const bool is_element = read != nullptr && around.names.type(one.results[0].name).is_scalar();
    if (is_element && around.sequence(read->array) == nullptr) {
      const auto last = read->indices.end() - 1;
      const bool of_row = inside.contains(read->array);
      if (*last == along && around.layouts.of(read->array).strides.back() == 1 &&
          std::all_of(read->indices.begin(), last, is_steady)) {
        reads.push_back({one.results[0].name, of_row, of_row || read->indices.size() > 1});
      }
    }
    for (const ir::Binder& result : one.results) inside.insert(result.name);
  }
  return reads;
}

}  // namespace dagaz::plan
