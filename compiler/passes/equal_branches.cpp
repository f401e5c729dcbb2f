#include "passes/equal_branches.h"

#include <algorithm>
#include <unordered_map>

#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/scalar.h"
#include "ir/traces.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// Of more branches on one condition the last: the time to compare all pairs would square.
constexpr std::size_t most_compared = 8;

bool is_expensive(const Operation& operation) {
  if (const auto* scalar = as<Scalar>(operation)) return !is_cheap(scalar->op);
  return as<Loop>(operation) != nullptr || as<Branch>(operation) != nullptr;
}

/// What one side of an earlier branch has computed, for the same side of a later one.
class Sharer {
 public:
  Sharer(Statement& first, Statement& later, Names& names)
      : first_(first), later_(later), names_(names) {}

  bool side(Body Branch::*taken, Body Branch::*other);

 private:
  Branch& of(Statement& statement) { return std::get<Branch>(statement.operation); }
  bool is_shareable(const Statement& statement) const;
  Substitution equal_values(const Body& given, const Body& again) const;
  Operand handed_on(NameId value, Body Branch::*taken, Body Branch::*other);

  Statement& first_;
  Statement& later_;
  Names& names_;
};

// Functions of scalars and elements that work on nothing but scalars, and print nothing.
bool Sharer::is_shareable(const Statement& statement) const {
  const bool plain = as<Scalar>(statement.operation) || as<Index>(statement.operation) ||
                     as<Loop>(statement.operation) || as<Branch>(statement.operation);
  if (!plain || statement.mode != ModeRequest::none || has_trace(statement.operation)) return false;
  const auto bound = bound_names(statement);
  return std::all_of(bound.begin(), bound.end(), [&](NameId name) {
    const Type& type = names_.type(name);
    return type.kind == TypeKind::value && type.is_scalar();
  });
}

// The values of `again` that `given` has, by its names for them.
Substitution Sharer::equal_values(const Body& given, const Body& again) const {
  std::unordered_multimap<std::size_t, const Statement*> table;
  for (const Statement& one : given.statements) {
    if (is_shareable(one)) table.emplace(hash_of(one.operation, names_), &one);
  }
  Substitution equal;
  if (table.empty()) return equal;
  for (const Statement& one : again.statements) {
    if (!is_shareable(one)) continue;
    Statement translated = one;
    substitute(translated, equal, names_);
    const auto [begin, end] = table.equal_range(hash_of(translated.operation, names_));
    const auto found = std::find_if(begin, end, [&](const auto& entry) {
      return equivalent(entry.second->operation, translated.operation, names_);
    });
    if (found == end) continue;
    for (std::size_t k = 0; k < one.results.size(); ++k) {
      equal.emplace(one.results[k].name, found->second->results[k].name);
    }
  }
  return equal;
}

// A value of the earlier branch's side, as one of its results.
Operand Sharer::handed_on(NameId value, Body Branch::*taken, Body Branch::*other) {
  Branch& branch = of(first_);
  const auto& results = (branch.*taken).results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k] == Operand(value)) return first_.results[k].name;
  }
  const Type type = names_.type(value);
  const NameId result = names_.fresh(names_.base(value), type);
  first_.results.push_back(Binder{result});
  branch.result_types.push_back(type);
  (branch.*taken).results.emplace_back(value);
  (branch.*other).results.emplace_back(zero_of(type.element));
  return result;
}

bool Sharer::side(Body Branch::*taken, Body Branch::*other) {
  Body& again = of(later_).*taken;
  const Substitution equal = equal_values(of(first_).*taken, again);
  if (equal.empty()) return false;
  // Backwards: what is cheap is computed again where it is needed, from what was handed on.
  NameSet needed;
  const auto need = [&](const std::vector<NameId>& names) {
    needed.insert(names.begin(), names.end());
  };
  need(free_names(Body{{}, again.results}, names_));
  Substitution taken_over;
  std::vector<Statement> kept;
  for (std::size_t k = again.statements.size(); k-- > 0;) {
    Statement& one = again.statements[k];
    const bool has_equal = !one.results.empty() && equal.contains(one.results[0].name);
    if (is_expensive(one.operation) && has_equal) {
      for (const Binder& result : one.results) {
        if (!needed.contains(result.name)) continue;
        const NameId value = equal.at(result.name).name();
        taken_over.emplace(result.name, handed_on(value, taken, other));
      }
      continue;
    }
    if (has_equal && !needed.contains(one.results[0].name)) continue;
    need(free_names(one, names_));
    kept.push_back(std::move(one));
  }
  std::reverse(kept.begin(), kept.end());
  const bool changed = kept.size() < again.statements.size();
  again.statements = std::move(kept);
  substitute(again, taken_over, names_);
  return changed;
}

}  // namespace

bool share_between_branches(Body& body, Names& names) {
  bool changed = false;
  for (Statement& one : body.statements) {
    for_each_scope(one.operation, [&](Body& inner) {
      if (share_between_branches(inner, names)) changed = true;
    });
  }
  std::unordered_map<NameId, std::vector<std::size_t>> earlier;  // by condition
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const auto* branch = as<Branch>(body.statements[k].operation);
    if (branch == nullptr || !branch->condition.is_name()) continue;
    std::vector<std::size_t>& same = earlier[branch->condition.name()];
    const std::size_t compared = std::min(same.size(), most_compared);
    for (std::size_t at = same.size() - compared; at < same.size(); ++at) {
      Sharer sharer(body.statements[same[at]], body.statements[k], names);
      if (sharer.side(&Branch::then_body, &Branch::else_body)) changed = true;
      if (sharer.side(&Branch::else_body, &Branch::then_body)) changed = true;
    }
    same.push_back(k);
  }
  return changed;
}

}  // namespace dagaz::passes
