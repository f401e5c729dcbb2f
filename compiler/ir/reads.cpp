#include "ir/reads.h"

#include <unordered_map>

#include "support/match.h"

namespace dagaz::ir {

std::vector<ElementRead> elements_read(const Body& body, const Names& names) {
  std::vector<ElementRead> elements;
  std::unordered_map<NameId, ElementRead> rows;
  for (const Statement& one : body.statements) {
    const auto* index = as<Index>(one.operation);
    if (index == nullptr) continue;
    const auto row = rows.find(index->array);
    ElementRead read = row != rows.end() ? row->second : ElementRead{index->array, {}};
    read.indices.insert(read.indices.end(), index->indices.begin(), index->indices.end());
    const NameId result = one.results[0].name;
    if (names.type(result).is_scalar()) {
      elements.push_back(std::move(read));
    } else {
      rows.emplace(result, std::move(read));
    }
  }
  return elements;
}

std::unordered_set<NameId> arrays_read(const Body& body, const std::unordered_set<NameId>& computed,
                                       const Names& names) {
  std::unordered_set<NameId> arrays;
  for (const ElementRead& one : elements_read(body, names)) {
    if (!computed.contains(one.array)) arrays.insert(one.array);
  }
  return arrays;
}

std::int64_t bytes_read(const Body& body, const std::unordered_set<NameId>& computed,
                        const Names& names) {
  std::int64_t bytes = 0;
  for (const NameId array : arrays_read(body, computed, names)) {
    bytes += byte_size(names.type(array).element);
  }
  return bytes;
}

}  // namespace dagaz::ir
