// Bounds checks of places that move with the indices of maps and loops, outside of these.
//
//   map (\i -> if d <= i then … assert (i - d < n) …) [0 … m-1]
//     =  let lo = max 0 d, hi = m - 1
//        assert (hi < lo || lo - d < n && hi - d < n);  map (\i -> if d <= i then …) [0 … m-1]
//
// Places move by one from index to index, so those between two that an array has it has too, and
// in arithmetic modulo 2^64 none of them is passed by.  Each check and each condition around it may
// tell of one index: together the points that check are a box.  What fails is told of the first
// places, index by index, that the array has not.
#include <algorithm>
#include <map>

#include "ir/scalar.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

namespace {

/// Larger constants beside an index may overflow.
constexpr std::int64_t largest_offset = std::int64_t{1} << 31;

/// constant + Σ factor · name, modulo 2^64.
struct Linear {
  std::int64_t constant = 0;
  std::map<NameId, int> factors = {};

  void add(const Linear& other, int sign) {
    constant += sign * other.constant;
    for (const auto& [name, factor] : other.factors) {
      if ((factors[name] += sign * factor) == 0) factors.erase(name);
    }
  }
};

}  // namespace

struct Simplifier::CheckOutside {
  Simplifier& simplifier;
  const Statement& statement;

  /// One index is below a size.
  struct Check {
    Operand place;
    Operand size;
    NameId index = {};  // what the place moves with; invalid: it does not
    bool ascends = true;
  };
  /// lowest ≤ index + offset, or index + offset < end.
  struct Bound {
    enum class Kind { lowest, end } kind;
    NameId index;
    std::int64_t offset;
    Operand value;
    std::int64_t beyond;  // what is added to the value
  };

  std::vector<Check> checks = {};
  std::map<NameId, Scope*> indices = {};  // that places move with, and whose they are
  std::vector<Bound> bounds = {};
  std::vector<Condition> conditions = {};  // known outside
  std::vector<Operand> trip_counts = {};   // of what else runs in between
  Scope* target = nullptr;

  const Assert& assertion() const { return std::get<Assert>(statement.operation); }
  const Scalar* scalar_defining(const Operand& operand) const {
    const Statement* source = operand.is_name() ? simplifier.definition(operand.name()) : nullptr;
    return source == nullptr ? nullptr : as<Scalar>(source->operation);
  }
  std::size_t depth_of(NameId name) const { return simplifier.definitions_[name.index].depth; }
  bool is_outside(const Operand& operand) const {
    return !operand.is_name() || depth_of(operand.name()) <= target->depth;
  }

  Linear linear(const Operand& operand) const {
    if (operand.is_constant()) return {integer_value(operand.constant())};
    const Scalar* scalar = scalar_defining(operand);
    const bool is_sum = scalar != nullptr && scalar->type == ScalarType::i64 &&
                        (scalar->op == ScalarOp::add || scalar->op == ScalarOp::sub);
    if (!is_sum) return {0, {{operand.name(), 1}}};
    Linear sum = linear(scalar->arguments[0]);
    sum.add(linear(scalar->arguments[1]), scalar->op == ScalarOp::add ? 1 : -1);
    return sum;
  }

  // ---------------------------------------------------------------- what is to be checked where

  /// Whether the assertion can stand outside of the scopes whose indices its places move with.
  bool find() {
    if (!find_checks(assertion().condition)) return false;
    for (Check& check : checks) {
      if (!find_index(check)) return false;
    }
    if (indices.empty()) return false;
    const auto outermost = std::min_element(
        indices.begin(), indices.end(),
        [](const auto& a, const auto& b) { return a.second->depth < b.second->depth; });
    target = outermost->second->outer;
    for (Scope* left = simplifier.scope_; left != target; left = left->outer) {
      if (!leave(*left)) return false;
    }
    return std::all_of(checks.begin(), checks.end(),
                       [&](const Check& one) {
                         return is_outside(one.size) && can_be_computed(one.place) &&
                                moves_alone(one.place, one.index);
                       }) &&
           std::all_of(assertion().arguments.begin(), assertion().arguments.end(),
                       [&](const Operand& one) { return can_be_computed(one); }) &&
           std::all_of(statement.tokens.begin(), statement.tokens.end(),
                       [&](NameId token) { return is_outside(token); });
  }

  bool find_checks(const Operand& condition) {
    const Scalar* scalar = scalar_defining(condition);
    if (scalar == nullptr) return false;
    if (scalar->op == ScalarOp::bit_and) {
      const std::vector<Operand> both = scalar->arguments;
      return find_checks(both[0]) && find_checks(both[1]);
    }
    if (scalar->op != ScalarOp::ult || scalar->type != ScalarType::i64) return false;
    checks.push_back({scalar->arguments[0], scalar->arguments[1]});
    return true;
  }

  // The innermost of what the place depends on.
  bool find_index(Check& check) {
    const Linear place = linear(check.place);
    const auto innermost = std::max_element(
        place.factors.begin(), place.factors.end(),
        [&](const auto& a, const auto& b) { return depth_of(a.first) < depth_of(b.first); });
    if (innermost == place.factors.end()) return true;
    Scope* const scope = scope_counted_by(innermost->first);
    if (scope == nullptr) return true;
    if (innermost->second != 1 && innermost->second != -1) return false;
    check.index = innermost->first;
    check.ascends = innermost->second == 1;
    indices.emplace(check.index, scope);
    return true;
  }

  Scope* scope_counted_by(NameId name) const {
    for (Scope* at = simplifier.scope_; at != nullptr; at = at->outer) {
      if (std::find(at->indices.begin(), at->indices.end(), name) != at->indices.end()) return at;
    }
    return nullptr;
  }

  bool leave(const Scope& scope) {
    switch (scope.runs) {
      case Runs::once: return true;
      case Runs::differentiated: return false;
      case Runs::maybe:
        return scope.condition && add_condition(scope.condition->holds, scope.condition->sense);
      case Runs::per_iteration: break;
    }
    if (!scope.trip_count || !is_outside(*scope.trip_count)) return false;
    const bool is_counted = std::any_of(indices.begin(), indices.end(),
                                        [&](const auto& one) { return one.second == &scope; });
    if (!is_counted) trip_counts.push_back(*scope.trip_count);
    return true;
  }

  bool add_condition(const Operand& holds, bool sense) {
    const Scalar* scalar = scalar_defining(holds);
    if (scalar != nullptr) {
      const std::vector<Operand> arguments = scalar->arguments;
      const bool is_both = scalar->op == (sense ? ScalarOp::bit_and : ScalarOp::bit_or);
      if (is_both) return add_condition(arguments[0], sense) && add_condition(arguments[1], sense);
      if (scalar->op == ScalarOp::bit_not) return add_condition(arguments[0], !sense);
    }
    if (is_outside(holds)) {
      conditions.push_back({holds, sense});
      return true;
    }
    const bool is_comparison = scalar != nullptr && scalar->type == ScalarType::i64 &&
                               (scalar->op == ScalarOp::slt || scalar->op == ScalarOp::sle);
    if (!is_comparison) return false;
    const Operand& a = scalar->arguments[0];
    const Operand& b = scalar->arguments[1];
    const bool is_strict = scalar->op == ScalarOp::slt;
    // !(a < b)  =  b <= a
    return sense ? add_bound(a, b, is_strict) : add_bound(b, a, !is_strict);
  }

  // a < b, or a ≤ b
  bool add_bound(const Operand& a, const Operand& b, bool is_strict) {
    if (const auto moved = moved_index(b); moved && is_outside(a)) {
      bounds.push_back({Bound::Kind::lowest, moved->first, moved->second, a, is_strict ? 1 : 0});
      return true;
    }
    if (const auto moved = moved_index(a); moved && is_outside(b)) {
      bounds.push_back({Bound::Kind::end, moved->first, moved->second, b, is_strict ? 0 : 1});
      return true;
    }
    return false;
  }

  // index + offset
  std::optional<std::pair<NameId, std::int64_t>> moved_index(const Operand& operand) const {
    const Linear sum = linear(operand);
    if (sum.factors.size() != 1 || sum.factors.begin()->second != 1) return std::nullopt;
    const NameId index = sum.factors.begin()->first;
    if (!indices.contains(index) || std::abs(sum.constant) > largest_offset) return std::nullopt;
    return std::pair(index, sum.constant);
  }

  bool can_be_computed(const Operand& operand) const {
    if (is_outside(operand) || indices.contains(operand.name())) return true;
    const Scalar* scalar = scalar_defining(operand);
    return scalar != nullptr && is_safe_anywhere(*scalar) && is_cheap(scalar->op) &&
           std::all_of(scalar->arguments.begin(), scalar->arguments.end(),
                       [&](const Operand& one) { return can_be_computed(one); });
  }

  /// Whether no other index is mentioned, be it that it is taken away again.
  bool moves_alone(const Operand& operand, NameId index) const {
    if (is_outside(operand) || operand.name() == index) return true;
    if (indices.contains(operand.name())) return false;
    const std::vector<Operand>& parts = scalar_defining(operand)->arguments;
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Operand& one) { return moves_alone(one, index); });
  }

  // ---------------------------------------------------------------- the check outside

  // As it is written: what is known here may not be known outside.
  Operand scalar(Scalar operation, std::string_view base) {
    const Type type = scalar_of(operation.result);
    Statement added{{}, std::move(operation), {}, statement.location, {}};
    const NameId name = simplifier.names_.fresh(std::string(base), type);
    added.results.push_back({name});
    simplifier.count_uses(added);
    simplifier.put(std::move(added), target);
    return name;
  }
  Operand scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                 std::string_view base = "t") {
    return scalar({op, type, result_type(op, type, type), std::move(arguments)}, base);
  }
  Operand i64(ScalarOp op, const Operand& a, const Operand& b, std::string_view base = "t") {
    return scalar(op, ScalarType::i64, {a, b}, base);
  }
  Operand boolean(ScalarOp op, std::vector<Operand> arguments) {
    return scalar(op, ScalarType::boolean, std::move(arguments), "holds");
  }

  using Point = std::map<NameId, Operand>;

  Operand value_at(const Operand& operand, const Point& point) {
    if (is_outside(operand)) return operand;
    const auto index = point.find(operand.name());
    if (index != point.end()) return index->second;
    Scalar copy = *scalar_defining(operand);
    for (Operand& one : copy.arguments) one = value_at(one, point);
    return scalar(std::move(copy), simplifier.names_.base(operand.name()));
  }

  // The first index, and the last, of those that satisfy all conditions.
  std::pair<Operand, Operand> range_of(NameId index) {
    const Operand& count = *indices.at(index)->trip_count;
    Operand first = i64_operand(0);
    Operand last = i64(ScalarOp::sub, count, i64_operand(1), "last");
    for (const Bound& one : bounds) {
      if (one.index != index) continue;
      const bool is_lowest = one.kind == Bound::Kind::lowest;
      // Indices are between 0 and the count, and so what is compared with them, which then does
      // not overflow.
      const Operand least = i64_operand(one.offset - one.beyond);
      const Operand most = i64(ScalarOp::add, count, least);
      const Operand inside = i64(ScalarOp::smin, i64(ScalarOp::smax, one.value, least), most);
      const Operand end = i64(ScalarOp::sub, inside, least);
      if (is_lowest) {
        first = i64(ScalarOp::smax, first, end, "first");
      } else {
        last = i64(ScalarOp::smin, last, i64(ScalarOp::sub, end, i64_operand(1)), "last");
      }
    }
    return {first, last};
  }

  struct Range {
    Operand first;
    Operand last;
    Operand failing;  // the first index at which a check fails, if any does
  };

  // Whether the check holds in the range, of which the failing index becomes known.
  Operand holds_in(const Check& check, Range& range) {
    const Operand at_first = value_at(check.place, {{check.index, range.first}});
    const Operand at_last = value_at(check.place, {{check.index, range.last}});
    const Operand starts_well = i64(ScalarOp::ult, at_first, check.size, "inside");
    const Operand ends_well = i64(ScalarOp::ult, at_last, check.size, "inside");
    const Operand good_places = check.ascends ? i64(ScalarOp::sub, check.size, at_first)
                                              : i64(ScalarOp::add, at_first, i64_operand(1));
    const auto choose = [&](const Operand& condition, const Operand& yes, const Operand& no) {
      return scalar(ScalarOp::select, ScalarType::i64, {condition, yes, no});
    };
    const Operand beyond = i64(ScalarOp::add, range.first, good_places);
    const Operand failing = choose(starts_well, choose(ends_well, range.last, beyond), range.first);
    range.failing = i64(ScalarOp::smin, range.failing, failing, "failing");
    return boolean(ScalarOp::bit_and, {starts_well, ends_well});
  }

  Assert outside() {
    std::map<NameId, Range> ranges;
    Operand holds = make_bool(false);
    const auto or_else = [&](const Operand& other) {
      holds = boolean(ScalarOp::bit_or, {holds, other});
    };
    for (const auto& one : indices) {
      const auto [first, last] = range_of(one.first);
      ranges.insert({one.first, {first, last, last}});
      or_else(i64(ScalarOp::slt, last, first, "empty"));
    }
    for (const Operand& count : trip_counts) {
      const ScalarType type = simplifier.names_.type(count).element;
      or_else(scalar(ScalarOp::sle, type, {count, zero_of(type)}, "empty"));
    }
    for (const auto& [condition, sense] : conditions) {
      or_else(sense ? boolean(ScalarOp::bit_not, {condition}) : condition);
    }
    Operand inside = make_bool(true);
    for (const Check& check : checks) {
      const Operand each =
          check.index.valid() ? holds_in(check, ranges.at(check.index))
                              : i64(ScalarOp::ult, value_at(check.place, {}), check.size, "inside");
      inside = boolean(ScalarOp::bit_and, {inside, each});
    }
    or_else(inside);
    Point failing;
    for (const auto& [index, range] : ranges) failing.emplace(index, range.failing);
    Assert moved = assertion();
    moved.condition = holds;
    for (Operand& one : moved.arguments) one = value_at(one, failing);
    return moved;
  }
};

Simplifier::Scope* Simplifier::move_check_outside(Statement& statement) {
  CheckOutside check{*this, statement};
  if (!check.find()) return nullptr;
  statement.operation = check.outside();
  return check.target;
}

}  // namespace dagaz::passes
