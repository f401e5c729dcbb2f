#include "plan/inner_points.h"

#include <algorithm>
#include <cstdlib>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

namespace {

// An edge of more points than this is no edge.
constexpr std::int64_t widest_edge = 16;
constexpr std::int64_t largest_offset = 1 << 16;
constexpr int deepest_sum = 16;
// The body stands in the code once for the inner points and once for the others.
constexpr std::size_t most_statements = 256;

std::optional<std::int64_t> constant_of(const Operand& operand) {
  if (!operand.is_constant() || operand.constant().type != ScalarType::i64) return std::nullopt;
  const std::int64_t value = ir::integer_value(operand.constant());
  if (std::abs(value) > largest_offset) return std::nullopt;
  return value;
}

/// What `offset` says of a sum's or a difference's operand, and the other, a constant, added.
template <typename Offset>
std::optional<std::int64_t> moved_by_constant(const ir::Scalar& scalar, const Offset& offset) {
  const auto& x = scalar.arguments;
  if (scalar.type != ScalarType::i64) return std::nullopt;
  std::optional<std::int64_t> base;
  std::int64_t by = 0;
  if (scalar.op == ScalarOp::add && constant_of(x[1])) {
    base = offset(x[0]);
    by = *constant_of(x[1]);
  } else if (scalar.op == ScalarOp::add && constant_of(x[0])) {
    base = offset(x[1]);
    by = *constant_of(x[0]);
  } else if (scalar.op == ScalarOp::sub && constant_of(x[1])) {
    base = offset(x[0]);
    by = -*constant_of(x[1]);
  }
  if (!base || std::abs(*base + by) > largest_offset) return std::nullopt;
  return *base + by;
}

Operand boolean(bool value) { return ir::Constant(ir::make_bool(value)); }

}  // namespace

// ---------------------------------------------------------------- distances

std::optional<std::int64_t> InnerPoints::offset_of(const Operand& operand, Points where,
                                                      int depth) const {
  if (!operand.is_name() || depth > deepest_sum) return std::nullopt;
  if (operand.name() == index_) return 0;
  const auto known = known_.find(operand.name());
  if (where == Points::inner && known != known_.end()) {
    return offset_of(known->second, where, depth + 1);
  }
  const auto found = definitions_.find(operand.name());
  if (found == definitions_.end()) return std::nullopt;
  const ir::Operation& operation = found->second->operation;
  if (const auto* identity = as<ir::Identity>(operation)) {
    return offset_of(identity->value, where, depth + 1);
  }
  if (const auto* element = as<ir::Index>(operation)) {
    if (!iotas_->contains(element->array)) return std::nullopt;
    return offset_of(element->indices[0], where, depth + 1);
  }
  const auto* scalar = as<ir::Scalar>(operation);
  if (scalar == nullptr) return std::nullopt;
  return moved_by_constant(*scalar, [&](const Operand& one) { return offset_of(one, where, depth + 1); });
}

// c, where `operand` is n + c, or 0 if that is negative: then no point is an inner one.
std::optional<std::int64_t> InnerPoints::beyond_extent(const Operand& operand, int depth) const {
  if (depth > deepest_sum) return std::nullopt;
  if (operand == extent_) return 0;
  if (constant_of(operand) && constant_of(extent_)) return *constant_of(operand) - *constant_of(extent_);
  if (!operand.is_name()) return std::nullopt;
  const auto found = scalars_->find(operand.name());
  if (found == scalars_->end()) return std::nullopt;
  const auto& x = found->second.arguments;
  if (found->second.op == ScalarOp::smax && x[1] == ir::i64_operand(0)) {
    return beyond_extent(x[0], depth + 1);
  }
  return moved_by_constant(found->second, [&](const Operand& one) { return beyond_extent(one, depth + 1); });
}

// A constant that is not nearer to n, if that is one, too.
std::optional<std::int64_t> InnerPoints::from_start(const Operand& operand) const {
  const auto c = constant_of(operand);
  const auto n = constant_of(extent_);
  return c && n && *c > *n / 2 ? std::nullopt : c;
}

// ---------------------------------------------------------------- what is known

void InnerPoints::note(const ir::Statement& statement) {
  for (const ir::Binder& result : statement.results) definitions_[result.name] = &statement;
  if (const auto* scalar = as<ir::Scalar>(statement.operation)) {
    learn(statement.results[0].name, *scalar);
  }
}

void InnerPoints::learn(NameId result, const ir::Scalar& scalar) {
  switch (scalar.op) {
    case ScalarOp::bit_and:
    case ScalarOp::bit_or: learn_both(result, scalar); return;
    case ScalarOp::slt:
    case ScalarOp::ult: learn_less(result, scalar, 0); return;
    case ScalarOp::sle:
    case ScalarOp::ule: learn_less(result, scalar, 1); return;
    case ScalarOp::eq:
    case ScalarOp::ne: learn_equal(result, scalar); return;
    case ScalarOp::smin:
    case ScalarOp::smax: learn_bounded(result, scalar); return;
    case ScalarOp::select:
      if (const auto chosen = truth(scalar.arguments[0])) {
        known_.insert_or_assign(result, scalar.arguments[*chosen ? 1 : 2]);
      }
      return;
    default: return;
  }
}

std::optional<bool> InnerPoints::truth(const Operand& operand) const {
  if (!is_known(operand)) return std::nullopt;
  const Operand& value = known_.at(operand.name());
  if (value.is_name()) return truth(value);
  if (value == boolean(true)) return true;
  if (value == boolean(false)) return false;
  return std::nullopt;
}

// x < y, or x < y + equal.  Where no offset of the index is negative, unsigned is the same.
void InnerPoints::learn_less(NameId result, const ir::Scalar& scalar, std::int64_t equal) {
  if (scalar.type != ScalarType::i64) return;
  const auto& x = scalar.arguments;
  const bool is_signed = scalar.op == ScalarOp::slt || scalar.op == ScalarOp::sle;
  if (const auto left = inner_offset_of(x[0])) {
    if (!is_signed && *left < 0) return;
    if (const auto c = from_start(x[1])) {
      if (is_signed || *c >= 0) learn_from(result, *c + equal - *left, boolean(false));
    } else if (const auto past = beyond_extent(x[1], 0)) {
      learn_up_to(result, *left - *past - equal, boolean(true));
    }
  } else if (const auto right = inner_offset_of(x[1])) {
    if (!is_signed && *right < 0) return;
    if (const auto c = from_start(x[0])) {
      if (is_signed || *c >= 0) learn_from(result, *c - equal - *right + 1, boolean(true));
    } else if (const auto past = beyond_extent(x[0], 0)) {
      learn_up_to(result, *right - *past + equal - 1, boolean(false));
    }
  }
}

// Whether an index equals something, or differs from it.
void InnerPoints::learn_equal(NameId result, const ir::Scalar& scalar) {
  if (scalar.type != ScalarType::i64) return;
  const auto& x = scalar.arguments;
  const bool first = inner_offset_of(x[0]).has_value();
  const auto offset = inner_offset_of(first ? x[0] : x[1]);
  const Operand& other = first ? x[1] : x[0];
  if (!offset) return;
  const Operand differs = boolean(scalar.op == ScalarOp::ne);
  if (const auto c = from_start(other)) {
    learn_from(result, *c - *offset + 1, differs);
  } else if (const auto past = beyond_extent(other, 0)) {
    learn_up_to(result, *offset - *past, differs);
  }
}

void InnerPoints::learn_both(NameId result, const ir::Scalar& scalar) {
  if (scalar.type != ScalarType::boolean) return;
  const bool decides = scalar.op == ScalarOp::bit_or;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
    const auto one = truth(scalar.arguments[k]);
    if (one) known_.insert_or_assign(result, *one == decides ? boolean(*one) : scalar.arguments[1 - k]);
    if (one == decides) return;
  }
}

// An index that is held from below by a constant, or from above by n and a constant.
void InnerPoints::learn_bounded(NameId result, const ir::Scalar& scalar) {
  if (scalar.type != ScalarType::i64) return;
  const auto& x = scalar.arguments;
  const bool first = inner_offset_of(x[0]).has_value();
  const Operand& index = first ? x[0] : x[1];
  const Operand& bound = first ? x[1] : x[0];
  const auto offset = inner_offset_of(index);
  if (!offset) return;
  if (scalar.op == ScalarOp::smax) {
    if (const auto c = from_start(bound)) learn_from(result, *c - *offset, index);
  } else if (const auto past = beyond_extent(bound, 0)) {
    learn_up_to(result, *offset - *past - 1, index);
  }
}

// It is `value` for i ≥ low.
void InnerPoints::learn_from(NameId result, std::int64_t low, const Operand& value) {
  if (low > widest_edge) return;
  low_ = std::max(low_, low);
  known_.insert_or_assign(result, value);
}
// It is `value` for i < n - high.
void InnerPoints::learn_up_to(NameId result, std::int64_t high, const Operand& value) {
  if (high > widest_edge) return;
  high_ = std::max(high_, high);
  known_.insert_or_assign(result, value);
}

void take_known(ir::Body& body, const InnerPoints& inner) {
  for (ir::Statement& one : body.statements) {
    if (auto* branch = as<ir::Branch>(one.operation)) {
      take_known(branch->then_body, inner);
      take_known(branch->else_body, inner);
    } else if (const auto known = inner.known().find(one.results[0].name);
               known != inner.known().end()) {
      one.operation = ir::Identity{known->second};
    }
  }
}

// ---------------------------------------------------------------- of a map

namespace {

/// Reads the body of a map.
class MapReader {
 public:
  MapReader(InnerPoints& inner, NameId index, const ir::Names& names)
      : inner_(inner), names_(names), varying_{index} {}

  /// Whether it only computes numbers.
  bool read(const ir::Body& body, bool is_guarded) {
    return std::all_of(body.statements.begin(), body.statements.end(),
                       [&](const ir::Statement& one) { return read(one, is_guarded); });
  }
  /// Whether inner points read more simply.
  bool gains() const { return gains_ && statements_ <= most_statements; }

 private:
  bool varies(const Operand& operand) const {
    return operand.is_name() && varying_.contains(operand.name());
  }
  // What it is at inner points may be the same for all of them.
  void note_varying(const ir::Statement& one) {
    const std::vector<NameId> used = ir::free_names(one, names_);
    const NameId result = one.results[0].name;
    const auto known = inner_.known().find(result);
    const bool varies = known != inner_.known().end()
                            ? this->varies(known->second)
                            : std::any_of(used.begin(), used.end(), [&](NameId name) {
                                return varying_.contains(name);
                              });
    if (!varies) return;
    for (const ir::Binder& each : one.results) varying_.insert(each.name);
  }

  bool read(const ir::Statement& one, bool is_guarded) {
    ++statements_;
    inner_.note(one);
    note_varying(one);
    if (const auto* branch = as<ir::Branch>(one.operation)) {
      const bool scalars = std::all_of(branch->result_types.begin(), branch->result_types.end(),
                                       [](const ir::Type& type) { return type.is_scalar(); });
      if (varies(branch->condition)) inner_.set_are_alike(false);
      const bool known = is_guarded || inner_.is_known(branch->condition);
      return scalars && read(branch->then_body, known) && read(branch->else_body, known);
    }
    if (const auto* index = as<ir::Index>(one.operation)) {
      const bool is_number = names_.type(one.results[0].name).is_scalar();
      const auto is_known = [&](const Operand& each) { return inner_.is_known(each); };
      gains_ = gains_ || (is_number && is_guarded) ||
               std::any_of(index->indices.begin(), index->indices.end(), is_known);
      return true;
    }
    return as<ir::Scalar>(one.operation) || as<ir::Identity>(one.operation);
  }

  InnerPoints& inner_;
  const ir::Names& names_;
  std::unordered_set<NameId> varying_;
  std::size_t statements_ = 0;
  bool gains_ = false;
};

}  // namespace

std::optional<InnerPoints> inner_points(const ir::SegmentedMap& map,
                                        const KnownOutside& outside) {
  const bool gives_numbers =
      std::all_of(map.result_types.begin(), map.result_types.end(),
                  [](const ir::Type& type) { return type.is_scalar(); });
  if (map.space.empty() || map.result_types.empty() || !gives_numbers) return std::nullopt;
  InnerPoints inner(map.space.back().extent, outside);
  inner.set_index(map.space.back().index.name);
  MapReader reader(inner, map.space.back().index.name, outside.names);
  if (!reader.read(map.body, false) || !reader.gains()) return std::nullopt;
  return inner;
}

}  // namespace dagaz::plan
