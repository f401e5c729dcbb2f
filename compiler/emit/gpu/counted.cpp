#include "emit/gpu/counted.h"

#include <algorithm>
#include <unordered_set>

#include "emit/points.h"
#include "emit/statements.h"
#include "ir/names.h"

namespace dagaz::emit {

// What the body binds that does not follow from its indices alone.
static std::unordered_set<NameId> other_names(const Context& c, const ir::SegmentedReduce& e) {
  std::unordered_set<NameId> other;
  for (const ir::Statement& one : e.body.statements) {
    const std::vector<NameId> used = ir::free_names(one, c.names());
    const auto* index = as<ir::Index>(one.operation);
    const bool is_virtual = index != nullptr && c.arrays.virtual_array(index->array) != nullptr;
    const bool counts =
        (is_virtual || as<ir::Scalar>(one.operation)) &&
        std::none_of(used.begin(), used.end(), [&](NameId name) { return other.contains(name); });
    if (counts) continue;
    for (const ir::Binder& result : one.results) other.insert(result.name);
  }
  return other;
}

CountedValues::CountedValues(Context& c, const ir::SegmentedReduce& e, std::size_t count)
    : part_{e} {
  const std::unordered_set<NameId> other = other_names(c, e);
  const auto counts = [&](const Operand& one) {
    return !one.is_name() || !other.contains(one.name());
  };
  part_.body.results.clear();
  for (std::size_t k = 0; k < count; ++k) {
    counted_.push_back(counts(e.body.results[k]));
    if (counted_.back()) part_.body.results.push_back(e.body.results[k]);
  }
  std::erase_if(part_.body.statements,
                [&](const ir::Statement& one) { return other.contains(one.results[0].name); });
}

void CountedValues::compute(Context& c, const std::vector<Operand>& point,
                            const std::function<void(const std::vector<Value>&)>& use) const {
  const ir::Statement copied = copy_of(c, part_);
  const auto& part = *as<ir::SegmentedReduce>(copied.operation);
  set_indices(c, part.space, point);
  emit_body(c, part.body, {}, use);
}

}  // namespace dagaz::emit
