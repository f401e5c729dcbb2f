#include "ir/reads.h"

#include "support/match.h"

namespace dagaz::ir {

std::unordered_set<NameId> arrays_read(const Body& body,
                                       const std::unordered_set<NameId>& computed) {
  std::unordered_set<NameId> arrays;
  for (const Statement& one : body.statements) {
    const auto* read = as<Index>(one.operation);
    if (read != nullptr && !computed.contains(read->array)) arrays.insert(read->array);
  }
  return arrays;
}

std::int64_t bytes_read(const Body& body, const std::unordered_set<NameId>& computed,
                        const Names& names) {
  std::int64_t bytes = 0;
  for (const NameId array : arrays_read(body, computed)) {
    bytes += byte_size(names.type(array).element);
  }
  return bytes;
}

}  // namespace dagaz::ir
