#include "passes/ad/rules/late_sums.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

// Whether the statements only map over the rows of `array`: then what they add to its adjoint is
// made of what they have for each row.  To the places that are read of an array an iteration adds
// little, and what all points use is summed over these first.
static bool is_mapped_over(NameId array, const std::vector<Statement>& body, const Names& names) {
  return std::all_of(body.begin(), body.end(), [&](const Statement& one) {
    const std::vector<NameId> used = free_names(one, names);
    if (std::find(used.begin(), used.end(), array) == used.end()) return true;
    if (as<Permute>(one.operation)) return is_mapped_over(one.results.front().name, body, names);
    const auto* map = as<MapScanReduce>(one.operation);
    if (map == nullptr) return false;
    const std::vector<NameId> inside = free_names(map->map, names);
    return std::find(inside.begin(), inside.end(), array) == inside.end();
  });
}

bool may_sum_late(NameId name, const std::vector<Statement>& body, const Names& names) {
  const Type& type = names.type(name);
  const bool is_small = std::all_of(type.shape.begin(), type.shape.end(),
                                    [](const Operand& size) { return size.is_constant(); });
  return type.kind == TypeKind::value && type.rank() > 1 && !is_small &&
         is_mapped_over(name, body, names);
}

LateSums::Contributions LateSums::plan(const Contributions& contributions,
                                       const SumOverIterations::Varying& varying,
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
