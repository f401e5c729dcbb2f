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
  std::unordered_set<ir::NameId> rows;  // at places that are known before the body runs
  const auto is_steady = [&](const ir::Operand& other) {
    return other != along && !(other.is_name() && inside.contains(other.name()));
  };
  std::vector<ElementRead> reads;
  for (const ir::Statement& one : body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    const bool of_array =
        read != nullptr && around.sequence(read->array) == nullptr && !inside.contains(read->array);
    const bool of_row = read != nullptr && rows.contains(read->array);
    if (of_array || of_row) {
      const auto last = read->indices.end() - 1;
      const bool is_scalar = around.names.type(one.results[0].name).is_scalar();
      if (!std::all_of(read->indices.begin(), last, is_steady)) {
        // Where it begins is not known.
      } else if (!is_scalar) {
        if (of_array && is_steady(*last)) rows.insert(one.results[0].name);
      } else if (*last == along && around.layouts.of(read->array).strides.back() == 1) {
        reads.push_back({one.results[0].name, of_row || read->indices.size() > 1});
      }
    }
    for (const ir::Binder& result : one.results) inside.insert(result.name);
  }
  return reads;
}

}  // namespace dagaz::plan
