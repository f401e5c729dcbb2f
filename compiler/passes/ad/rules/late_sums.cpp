#include "passes/ad/rules/late_sums.h"

#include <algorithm>

#include "passes/ad/reads_in_places.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

// Only what maps use as a whole: to the places of an array that are read an iteration adds little.
bool may_sum_late(NameId name, const std::vector<Statement>& body, const Names& names) {
  const Type& type = names.type(name);
  const bool small = std::all_of(type.shape.begin(), type.shape.end(),
                                 [](const Operand& size) { return size.is_constant(); });
  if (type.kind != TypeKind::value || type.rank() < 2 || small) return false;
  return std::all_of(body.begin(), body.end(), [&](const Statement& one) {
    const std::vector<NameId> used = free_names(one, names);
    if (std::find(used.begin(), used.end(), name) == used.end()) return true;
    const auto* map = as<MapScanReduce>(one.operation);
    return as<Permute>(one.operation) != nullptr ||
           (map != nullptr && !is_read_in_places(map->map.body, name));
  });
}

LateSums::Contributions LateSums::plan(const Contributions& contributions,
                                       const SumOverMap::Varying& varying,
                                       std::vector<Statement>& statements,
                                       const std::vector<Operand>& kept) {
  sums_.set_loop(varying, statements, kept);
  Contributions rest;
  for (const auto& [name, contribution] : contributions) {
    if (auto plan = sums_.plan(contribution)) {
      plans_.emplace_back(name, std::move(*plan));
    } else {
      rest.emplace_back(name, contribution);
    }
  }
  return rest;
}

std::vector<Operand> LateSums::store(const Operand& iteration) {
  std::vector<Operand> after;
  for (const NameId value : sums_.materialised()) {
    const Type type = array_over(trips_, r_.names().type(value));
    parameters_.push_back(r_.names().fresh(r_.names().base(value), type));
    after.push_back(r_.out().add(
        Update{parameters_.back(), part_at({iteration}, type), value}, "stored"));
  }
  return after;
}

std::vector<LoopValue> LateSums::values() {
  std::vector<LoopValue> values;
  for (const NameId parameter : parameters_) {
    const Type& type = r_.names().type(parameter);
    const NameId array = r_.out().add(Scratch{type.element, type.shape}, "stored");
    values.push_back({Binder{parameter}, array});
  }
  return values;
}

void LateSums::emit(const std::vector<NameId>& arrays, const Statement& loop) {
  sums_.set_results(arrays);
  note_sums(r_, loop, plans_, sums_);
  for (auto& [name, plan] : plans_) {
    r_.adjoints.add(Operand(name), sums_.emit(std::move(plan)), Ownership::owned);
  }
}

}  // namespace dagaz::passes::ad
