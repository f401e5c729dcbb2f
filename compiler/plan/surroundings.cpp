#include "plan/surroundings.h"

#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;

void Surroundings::enter(const ir::Statement& statement) {
  layouts.enter(statement);
  if (statement.results.empty()) return;
  const NameId result = statement.results[0].name;
  if (const auto* iota = as<ir::Iota>(statement.operation)) {
    if (is_element_only(result)) {
      sequences_.insert_or_assign(result, Sequence{iota->type, iota->start, iota->stride});
    }
  } else if (const auto* replicate = as<ir::Replicate>(statement.operation)) {
    const ir::Type type = names.type(replicate->value);
    if (is_element_only(result) && type.is_scalar() && replicate->shape.size() == 1) {
      sequences_.insert_or_assign(result, Sequence{type.element, replicate->value, std::nullopt});
    }
  } else if (const auto* scalar = as<ir::Scalar>(statement.operation)) {
    if (scalar->result == ir::ScalarType::i64) computed_.insert_or_assign(result, *scalar);
  } else if (const auto* addition = as<ir::Accumulate>(statement.operation)) {
    continue_accumulator(result, addition->accumulator);
  }
}

const Sequence* Surroundings::sequence(NameId array) const {
  const auto found = sequences_.find(array);
  if (found != sequences_.end()) return &found->second;
  return outer_ == nullptr ? nullptr : outer_->sequence(array);
}

const ir::Scalar* Surroundings::computed(NameId scalar) const {
  const auto found = computed_.find(scalar);
  if (found != computed_.end()) return &found->second;
  return outer_ == nullptr ? nullptr : outer_->computed(scalar);
}

const Opened* Surroundings::opened(NameId accumulator) const {
  const auto found = opened_.find(accumulator);
  if (found != opened_.end()) return &found->second;
  return outer_ == nullptr ? nullptr : outer_->opened(accumulator);
}

void Surroundings::continue_accumulator(NameId to, const ir::Operand& from) {
  const Opened* const known = from.is_name() ? opened(from.name()) : nullptr;
  if (known != nullptr) open(to, Opened(*known));
}

std::optional<NameId> Surroundings::overwritten_by(NameId result) const {
  const auto found = overwritten_.find(result);
  if (found != overwritten_.end()) return found->second;
  return outer_ == nullptr ? std::nullopt : outer_->overwritten_by(result);
}

}  // namespace dagaz::plan
