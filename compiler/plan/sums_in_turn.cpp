#include "plan/sums_in_turn.h"

#include <algorithm>
#include <unordered_set>

#include "ir/names.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

class SumsInTurn {
 public:
  SumsInTurn(const ir::Body& body, ir::Names& names) : body_(body), names_(names), rest_(body) {}

  std::optional<SumParts> parts() {
    std::optional<SumParts> all;
    for (std::size_t k = 0; k < body_.statements.size(); ++k) {
      if (!as<ir::MapScanReduce>(body_.statements[k].operation)) continue;
      std::optional<SumParts> next = take(k);
      if (!next) return std::nullopt;
      if (!all) {
        all = std::move(next);
      } else if (add(*all, *next)) {
        all->further.push_back(std::move(*next));
      } else {
        return std::nullopt;
      }
    }
    if (!all) return std::nullopt;
    all->after = needed_for(rest_, rest_.results, all->sums, names_);
    if (!is_straight(all->after.statements)) return std::nullopt;
    return all;
  }

 private:
  /// The sum at `place`, with nothing but what its elements need; nothing where these need others.
  std::optional<SumParts> take(std::size_t place) {
    const ir::Statement& statement = body_.statements[place];
    if (!only_reduces(statement)) return std::nullopt;
    const auto begin = body_.statements.begin();
    const ir::Body before{{begin, begin + static_cast<std::ptrdiff_t>(place)}, {}};
    const std::vector<NameId> used = ir::free_names(statement, names_);
    auto parts = sum_parts(statement,
                           needed_for(before, {used.begin(), used.end()}, {}, names_).statements,
                           Branches::taken_apart, names_);
    if (parts) parts->elements = needed_for(parts->elements, parts->elements.results, {}, names_);
    return parts;
  }

  /// Lets what adds the sums of `next` to those of `all` be the latter; whether something does.
  bool add(SumParts& all, const SumParts& next) {
    if (all.operators->size() != next.operators->size()) return false;
    for (std::size_t k = 0; k < all.sums.size(); ++k) {
      const ir::ReduceOperator& one = (*all.operators)[k];
      const ir::ReduceOperator& other = (*next.operators)[k];
      if (!is_simple(one.op) || one.neutral != other.neutral ||
          !ir::equivalent(one.op, other.op, names_)) {
        return false;
      }
      const ir::Body& op = innermost_lambda(one.op).body;
      const auto& adds = *as<ir::Scalar>(op.statements[0].operation);
      const auto use = only_use(all.sums[k]);
      if (use == rest_.statements.end() || use != only_use(next.sums[k])) return false;
      const auto* added = as<ir::Scalar>(use->operation);
      if (added == nullptr || added->op != adds.op || added->type != adds.type) return false;
      all.sums[k] = use->results[0].name;
      rest_.statements.erase(use);
    }
    return true;
  }

  using Place = std::vector<ir::Statement>::iterator;

  /// The one statement that uses `sum`; the end where there is none, or another use.
  Place only_use(NameId sum) {
    std::vector<ir::Statement>& all = rest_.statements;
    const auto uses = [&](const ir::Statement& one) {
      return std::ranges::count(ir::free_names(one, names_), sum) > 0;
    };
    const bool is_once = std::ranges::count_if(all, uses) == 1 &&
                         std::ranges::count(rest_.results, Operand(sum)) == 0;
    return is_once ? std::ranges::find_if(all, uses) : all.end();
  }

  const ir::Body& body_;
  ir::Names& names_;
  ir::Body rest_;  // but for what adds sums to others
};

}  // namespace

std::optional<SumParts> tile_sums(const ir::SegmentedMap& map, ir::Names& names) {
  const auto is_parallel = [](const ir::Statement& one) {
    return as<ir::MapScanReduce>(one.operation) != nullptr;
  };
  const bool several = std::ranges::count_if(map.body.statements, is_parallel) > 1;
  return several ? SumsInTurn(map.body, names).parts()
                 : sum_parts(map, Branches::taken_apart, names);
}

std::optional<SumParts> tile_sums(const ir::SegmentedReduce& reduction, ir::Names& names) {
  return sum_parts(reduction, Branches::taken_apart, names);
}

std::vector<const SumParts*> in_turn(const SumParts& parts) {
  std::vector<const SumParts*> all = {&parts};
  for (const SumParts& one : parts.further) all.push_back(&one);
  return all;
}

ir::Contraction plan_of(const ir::Contraction& plan, const SumParts& one, const ir::Names& names) {
  std::unordered_set<NameId> mentioned;
  for (const Operand& result : one.elements.results) {
    if (result.is_name()) mentioned.insert(result.name());
  }
  for (const ir::Statement& statement : one.elements.statements) {
    for (const ir::Binder& result : statement.results) mentioned.insert(result.name);
    for (const NameId name : ir::free_names(statement, names)) mentioned.insert(name);
  }
  ir::Contraction own = plan;
  for (auto* values : {&own.of_rows, &own.of_points, &own.kept_rows, &own.kept_points}) {
    std::erase_if(*values, [&](NameId value) { return !mentioned.contains(value); });
  }
  return own;
}

}  // namespace dagaz::plan
