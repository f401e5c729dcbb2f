#include "passes/ad/tangents.h"

namespace dagaz::passes::ad {

using namespace ir;

void Tangents::seed(NameId original, int direction, Operand tangent) {
  dependence_.seed(original, Directions{1} << direction);
  bind(original, direction, tangent);
}

std::optional<Operand> Tangents::of(const Operand& original, int direction) const {
  if (!original.is_name()) return std::nullopt;
  const auto found = tangents_.find(original.name());
  if (found == tangents_.end()) return std::nullopt;
  return found->second[static_cast<std::size_t>(direction)];
}

Operand Tangents::or_zero(const Operand& original, int direction) {
  if (const auto known = of(original, direction)) return *known;
  return environment_->zero(environment_->type_of(original));
}

void Tangents::bind(NameId original, int direction, Operand tangent) {
  auto& all = tangents_[original];
  all.resize(static_cast<std::size_t>(directions_));
  all[static_cast<std::size_t>(direction)] = tangent;
}

void Tangents::bind_as(NameId original, const Operand& value) {
  for (int j = 0; j < directions_; ++j) {
    if (const auto along = of(value, j)) bind(original, j, *along);
  }
}

void Tangents::bind_each(const Statement& statement, Directions active,
                         const std::function<Operand(int)>& make) {
  for (int j = 0; j < directions_; ++j) {
    if ((active >> j & 1) != 0) bind(statement.results[0].name, j, make(j));
  }
}

std::vector<Binder> Tangents::bind_fresh(const std::vector<Binder>& originals, const Slots& slots) {
  Names& names = environment_->names();
  std::vector<Binder> fresh;
  for (const Slot& slot : slots) {
    const NameId original = originals[slot.index].name;
    const NameId name =
        names.fresh(names.base(original) + "_tangent", environment_->type_of(Operand(original)));
    bind(original, slot.direction, name);
    fresh.push_back(Binder{name});
  }
  return fresh;
}

Slots Tangents::slots_of(const std::vector<Directions>& directions) const {
  Slots result;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    for (int j = 0; j < directions_; ++j) {
      if ((directions[i] >> j & 1) != 0) result.push_back(Slot{i, j});
    }
  }
  return result;
}

Slots Tangents::slots(const std::vector<Operand>& originals) const {
  std::vector<Directions> directions;
  for (const Operand& original : originals) directions.push_back(dependence_.of(original));
  return slots_of(directions);
}

Slots Tangents::slots(const std::vector<NameId>& originals) const {
  std::vector<Directions> directions;
  for (const NameId original : originals) directions.push_back(dependence_.of(original));
  return slots_of(directions);
}

Slots Tangents::slots(const std::vector<Binder>& originals) const {
  std::vector<Directions> directions;
  for (const Binder& original : originals) directions.push_back(dependence_.of(original.name));
  return slots_of(directions);
}

std::vector<Operand> Tangents::in_slots(const std::vector<Operand>& originals, const Slots& slots) {
  std::vector<Operand> result;
  for (const Slot& slot : slots) {
    result.push_back(or_zero(originals[slot.index], slot.direction));
  }
  return result;
}

std::vector<NameId> Tangents::names_in_slots(const std::vector<NameId>& originals,
                                             const Slots& slots) {
  std::vector<NameId> result;
  for (const Slot& slot : slots) {
    result.push_back(or_zero(originals[slot.index], slot.direction).name());
  }
  return result;
}

std::vector<Binder> Tangents::dual_binders(const std::vector<Binder>& originals,
                                           const Slots& slots) {
  std::vector<Binder> all = environment_->bind_fresh(originals);
  for (const Binder& each : bind_fresh(originals, slots)) all.push_back(each);
  return all;
}

std::vector<Operand> Tangents::dual_operands(const std::vector<Operand>& originals,
                                             const Slots& slots) {
  std::vector<Operand> all = environment_->operands(originals);
  for (const Operand& each : in_slots(originals, slots)) all.push_back(each);
  return all;
}

std::vector<NameId> Tangents::dual_names(const std::vector<NameId>& originals, const Slots& slots) {
  std::vector<NameId> all = environment_->names_of(originals);
  for (const NameId each : names_in_slots(originals, slots)) all.push_back(each);
  return all;
}

std::vector<Type> Tangents::dual_types(const std::vector<Type>& originals, const Slots& slots) {
  std::vector<Type> all;
  for (const Type& original : originals) all.push_back(environment_->type(original));
  for (const Slot& slot : slots) all.push_back(all[slot.index]);
  return all;
}

}  // namespace dagaz::passes::ad
