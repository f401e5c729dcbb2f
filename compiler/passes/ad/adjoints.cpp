// How contributions are summed: dense, in accumulators, or kept apart.
#include "passes/ad/adjoints.h"

#include <algorithm>
#include <utility>

#include "passes/ad/emitted_arrays.h"

namespace dagaz::passes::ad {

using namespace ir;

bool Adjoints::has(const Operand& original) const {
  if (!original.is_name()) return false;
  const auto found = table_.find(original.name());
  return found != table_.end() && found->second.value.has_value();
}

void Adjoints::add(const Operand& original, Operand contribution, Ownership ownership) {
  if (!is_active(original)) return;
  Adjoint& adjoint = table_[original.name()];
  if (adjoint.accumulator) {
    accumulate(original.name(), part_at({}, environment_->type_of(original)), contribution);
  } else if (adjoint.deferred) {
    adjoint.contributions.push_back(contribution);
  } else if (!adjoint.value) {
    adjoint.value = contribution;
    adjoint.ownership = ownership;
  } else {
    const Operand old = *adjoint.value;
    const Operand sum =
        environment_->add(environment_->type_of(original), old, std::move(contribution));
    Adjoint& after = table_[original.name()];
    after.value = sum;
    after.ownership = Ownership::owned;
    after.rows.clear();
  }
}

std::optional<Adjoint> Adjoints::take(NameId original) {
  const auto found = table_.find(original);
  if (found == table_.end() || !found->second.value) return std::nullopt;
  Adjoint adjoint = std::move(found->second);
  table_.erase(found);
  return adjoint;
}

Operand Adjoints::take_or_zero(NameId original) {
  const auto adjoint = take(original);
  if (adjoint) return *adjoint->value;
  return environment_->zero(environment_->type_of(original));
}

Operand Adjoints::take_owned(NameId original) {
  const auto adjoint = take(original);
  const Type type = environment_->type_of(original);
  if (!adjoint) return environment_->zero(type);
  if (type.is_scalar() || adjoint->ownership == Ownership::owned) return *adjoint->value;
  return environment_->out().add(Copy{adjoint->value->name()}, "adjoint");
}

std::vector<NameId> Adjoints::active_among(const std::vector<NameId>& free) const {
  std::vector<NameId> active;
  for (const NameId name : free) {
    const Type& type = environment_->names().type(name);
    if (type.kind == TypeKind::value && is_active(Operand(name))) active.push_back(name);
  }
  return active;
}

void Adjoints::replace(NameId original, NameId after) {
  Adjoint& adjoint = table_[original];
  if (adjoint.accumulator) {
    adjoint.accumulator = after;
  } else if (adjoint.deferred) {
    adjoint.contributions.push_back(after);
  } else {
    adjoint.value = after;
    adjoint.ownership = Ownership::owned;
    adjoint.rows.clear();
  }
}

void Adjoints::add_at(NameId original, const std::vector<Operand>& indices, Operand value) {
  if (!is_active(original)) return;
  add_slice(original, part_at(indices, environment_->type_of(original)), value);
}

static bool is_constant_row(const SliceDimension& first) {
  return first.fixed && first.start.is_constant();
}

static bool is_known_row(const std::vector<Operand>& rows, const SliceDimension& first) {
  return first.fixed && std::find(rows.begin(), rows.end(), first.start) != rows.end();
}

/// Whether the part is of a row of zeros, where those that are not are known.
static bool is_another_row(const std::vector<Operand>& rows, const SliceDimension& first) {
  return !rows.empty() && is_constant_row(first) && !is_known_row(rows, first);
}

void Adjoints::add_slice(NameId original, const std::vector<SliceDimension>& dimensions,
                         Operand value) {
  if (!is_active(original)) return;
  Builder& out = environment_->out();
  const Type type = environment_->type_of(original);
  const Type part = environment_->names().type(value);
  bool all_fixed = true;
  std::vector<Operand> indices;
  for (const SliceDimension& each : dimensions) {
    all_fixed = all_fixed && each.fixed;
    indices.push_back(each.start);
  }
  if (const Adjoint& adjoint = table_[original]; adjoint.accumulator) {
    accumulate(original, dimensions, value);
    return;
  } else if (adjoint.deferred) {
    // A whole array with zeros around the part.
    const Operand zeros = environment_->zero(type);
    add(original, out.add(Update{zeros.name(), dimensions, value}, "adjoint"), Ownership::owned);
    return;
  }
  const bool fresh = !has(original);
  std::vector<Operand> rows = table_[original].rows;
  const bool is_zero = fresh || is_another_row(rows, dimensions[0]);
  const Operand whole = take_owned(original);
  Operand sum = value;
  if (!is_zero) {
    const Operand old = all_fixed ? out.index(whole.name(), indices)
                                  : Operand(out.add(Slice{whole.name(), dimensions}, "old"));
    sum = environment_->add(part, old, value);
  }
  if (is_zero && is_constant_row(dimensions[0])) {
    rows.push_back(dimensions[0].start);
  } else if (!is_known_row(rows, dimensions[0])) {
    rows.clear();
  }
  set_owned(original, out.add(Update{whole.name(), dimensions, sum}, "adjoint"), std::move(rows));
}

void Adjoints::accumulate(NameId original, const std::vector<SliceDimension>& dimensions,
                          Operand value) {
  const NameId before = *table_[original].accumulator;
  const NameId after = accumulate_nest(*environment_, before, {}, dimensions, value);
  table_[original].accumulator = after;
}

void Adjoints::set_owned(NameId original, Operand value, std::vector<Operand> rows) {
  Adjoint adjoint;
  adjoint.value = value;
  adjoint.ownership = Ownership::owned;
  adjoint.rows = std::move(rows);
  set(original, std::move(adjoint));
}

void Adjoints::set_summed(NameId original, Operand sum) {
  Adjoint& adjoint = table_[original];
  if (adjoint.deferred) {
    adjoint.contributions.push_back(sum);
  } else {
    set_owned(original, sum);
  }
}

}  // namespace dagaz::passes::ad
