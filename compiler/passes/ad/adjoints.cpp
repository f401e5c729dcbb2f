// Adjoint bookkeeping: how contributions are summed, dense, in accumulators, or kept apart.
#include "passes/ad/reverse.h"
#include "support/check.h"

namespace dagaz::passes::ad {

using namespace ir;

bool Reverse::is_active(const Operand& original) const { return varied_.of(original) != 0; }

bool Reverse::has_adjoint(const Operand& original) const {
  if (!original.is_name()) return false;
  const auto found = adjoints_.find(original.name());
  return found != adjoints_.end() && found->second.value.has_value();
}

void Reverse::add_adjoint(const Operand& original, Operand contribution, Ownership ownership) {
  if (!is_active(original)) return;
  Adjoint& adjoint = adjoints_[original.name()];
  if (adjoint.accumulator) {
    accumulate(original.name(), adjoint,
               part_at({}, environment_->type_of(original)), contribution);
  } else if (adjoint.deferred) {
    adjoint.contributions.push_back(contribution);
  } else if (!adjoint.value) {
    adjoint.value = contribution;
    adjoint.ownership = ownership;
  } else {
    const Operand old = *adjoint.value;
    const Operand sum =
        environment_->add(environment_->type_of(original), old, std::move(contribution));
    Adjoint& after = adjoints_[original.name()];
    after.value = sum;
    after.ownership = Ownership::owned;
  }
}

std::optional<Adjoint> Reverse::take(NameId original) {
  const auto found = adjoints_.find(original);
  if (found == adjoints_.end() || !found->second.value) return std::nullopt;
  Adjoint adjoint = std::move(found->second);
  adjoints_.erase(found);
  return adjoint;
}

Operand Reverse::take_or_zero(NameId original) {
  const auto adjoint = take(original);
  if (adjoint) return *adjoint->value;
  return environment_->zero(environment_->type_of(original));
}

Operand Reverse::take_owned(NameId original) {
  const auto adjoint = take(original);
  const Type type = environment_->type_of(original);
  if (!adjoint) return environment_->zero(type);
  if (type.is_scalar() || adjoint->ownership == Ownership::owned) return *adjoint->value;
  return out().add(Copy{adjoint->value->name()}, "adjoint");
}

std::vector<NameId> Reverse::outer_active_names(const std::vector<NameId>& free) const {
  std::vector<NameId> active;
  for (const NameId name : free) {
    const Type& type = environment_->names().type(name);
    if (type.kind == TypeKind::value && is_active(Operand(name))) active.push_back(name);
  }
  return active;
}

void Reverse::replace_adjoint(NameId original, NameId after) {
  Adjoint& adjoint = adjoints_[original];
  if (adjoint.accumulator) {
    adjoint.accumulator = after;
  } else if (adjoint.deferred) {
    adjoint.contributions.push_back(after);
  } else {
    adjoint.value = after;
    adjoint.ownership = Ownership::owned;
  }
}

void Reverse::add_at(NameId original, const std::vector<Operand>& indices, Operand value) {
  if (!is_active(original)) return;
  add_slice(original, part_at(indices, environment_->type_of(original)), value);
}

void Reverse::add_slice(NameId original, const std::vector<SliceDimension>& dimensions,
                        Operand value) {
  if (!is_active(original)) return;
  const Type type = environment_->type_of(original);
  const Type part = names().type(value);
  bool all_fixed = true;
  std::vector<Operand> indices;
  for (const SliceDimension& each : dimensions) {
    all_fixed = all_fixed && each.fixed;
    indices.push_back(each.start);
  }
  if (Adjoint& adjoint = adjoints_[original]; adjoint.accumulator) {
    accumulate(original, adjoint, dimensions, value);
    return;
  } else if (adjoint.deferred) {
    // A whole array with zeros around the part.
    const Operand zeros = environment_->zero(type);
    const NameId whole = out().add(Update{zeros.name(), dimensions, value}, "adjoint");
    add_adjoint(original, whole, Ownership::owned);
    return;
  }
  const bool fresh = !has_adjoint(original);
  const Operand whole = take_owned(original);
  Operand sum = value;
  if (!fresh) {
    const Operand old = all_fixed ? out().index(whole.name(), indices)
                                  : Operand(out().add(Slice{whole.name(), dimensions}, "old"));
    sum = environment_->add(part, old, value);
  }
  Adjoint updated;
  updated.value = out().add(Update{whole.name(), dimensions, sum}, "adjoint");
  updated.ownership = Ownership::owned;
  adjoints_[original] = std::move(updated);
}

}  // namespace dagaz::passes::ad
