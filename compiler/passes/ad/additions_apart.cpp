#include "passes/ad/additions_apart.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/fields.h"
#include "ir/value_count.h"
#include "passes/ad/consumption.h"
#include "passes/ad/summed_body.h"
#include "passes/map_parts.h"
#include "passes/passes.h"
#include "passes/tokens.h"
#include "passes/without_accumulator.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

bool is_accumulator(NameId name, const Names& names) {
  return names.type(name).kind == TypeKind::accumulator;
}

bool uses_accumulators(const Statement& one, const Names& names) {
  const std::vector<NameId> used = free_names(one, names);
  return std::any_of(used.begin(), used.end(),
                     [&](NameId name) { return is_accumulator(name, names); });
}

bool gives_only_accumulators(const Statement& one, const Names& names) {
  return std::all_of(one.results.begin(), one.results.end(),
                     [&](const Binder& r) { return is_accumulator(r.name, names); });
}

/// Whether a statement, or each element of what it makes, takes no more of the budget than there
/// is.
bool is_cheap_alone(const Statement& one, int& budget, const Names& names) {
  if (as<Replicate>(one.operation)) return true;
  if (const auto* map = as<MapScanReduce>(one.operation)) {
    const std::vector<Statement>& each = map->map.body.statements;
    return map->reductions.empty() && map->scans.empty() && !map->post &&
           std::all_of(each.begin(), each.end(), [&](const Statement& inside) {
             return is_cheap_alone(inside, budget, names);
           });
  }
  if (evaluation_cost(one, names) != EvaluationCost::cheap) return false;
  return !as<Scalar>(one.operation) || is_index_arithmetic(one) || budget-- > 0;
}

/// Drops the scalars and reads that nothing in the body needs any more.
void drop_unused(Body& body, const Names& names) {
  NameSet used;
  for (const Operand& result : body.results) {
    if (result.is_name()) used.insert(result.name());
  }
  std::vector<Statement> kept;
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    Statement& one = body.statements[k];
    const bool is_unused = (as<Scalar>(one.operation) || as<Index>(one.operation)) &&
                           !used.contains(one.results[0].name);
    if (is_unused) continue;
    for (const NameId name : free_names(one, names)) used.insert(name);
    kept.push_back(std::move(one));
  }
  std::reverse(kept.begin(), kept.end());
  body.statements = std::move(kept);
}

/// One map, and those inside it that do both, in two.
class Parting {
 public:
  Parting(const Statement& statement, Environment& environment)
      : statement_(statement),
        map_(*as<MapScanReduce>(statement.operation)),
        environment_(environment),
        names_(environment.names()) {}

  std::optional<Apart> take() {
    if (!map_.scans.empty() || map_.post || map_.sequential || !take_statements()) {
      return std::nullopt;
    }
    consumed_ = consumed_names(made_, names_, environment_.functions());
    for (const Statement& one : additions_) need(one);
    if (!is_possible_) return std::nullopt;
    return Apart{values(), additions()};
  }

 private:
  bool take_statements() {
    for (const Statement& one : map_.map.body.statements) {
      if (!uses_accumulators(one, names_)) {
        made_.push_back(one);
      } else if (gives_only_accumulators(one, names_)) {
        additions_.push_back(one);
      } else if (as<MapScanReduce>(one.operation)) {
        auto inside = Parting(one, environment_).take();
        if (!inside) return false;
        made_.push_back(std::move(inside->values));
        additions_.push_back(std::move(inside->additions));
      } else if (!as<Branch>(one.operation) && !as<WithAccumulator>(one.operation)) {
        return false;
      } else if (!take_twice(one)) {
        return false;
      }
    }
    return true;
  }

  // A branch, or the scope of other accumulators, once for its values and once for the additions.
  bool take_twice(const Statement& one) {
    Statement values = one;
    for (const NameId name : free_names(one, names_)) {
      if (!is_accumulator(name, names_)) continue;
      const auto exit = exit_of(values, name, names_);
      if (!exit) return false;
      remove_accumulator(values, name, *exit, names_);
    }
    made_.push_back(std::move(values));
    if (const auto* with = as<WithAccumulator>(one.operation)) return take_additions(one, *with);
    Statement additions = one;
    auto& branch = std::get<Branch>(additions.operation);
    for (std::size_t k = one.results.size(); k-- > 0;) {
      if (is_accumulator(one.results[k].name, names_)) continue;
      erase_at(additions.results, k);
      erase_at(branch.result_types, k);
      erase_at(branch.then_body.results, k);
      erase_at(branch.else_body.results, k);
    }
    drop_unused(branch.then_body, names_);
    drop_unused(branch.else_body, names_);
    additions_.push_back(std::move(additions));
    return true;
  }

  // Those of a scope to accumulators of further out.
  bool take_additions(const Statement& one, WithAccumulator with) {
    Body& body = with.body.body;
    for (const Binder& own : with.body.parameters) {
      const auto can_leave = [&](const Statement& each) {
        return !uses(each, own.name, names_) || exit_of(each, own.name, names_);
      };
      if (!std::all_of(body.statements.begin(), body.statements.end(), can_leave)) return false;
      remove_accumulator(body, own.name, names_);
    }
    for (std::size_t k = 0; k < one.results.size(); ++k) {
      if (!is_accumulator(one.results[k].name, names_)) continue;
      for (Statement& each : body.statements) {
        for (Binder& result : each.results) {
          if (with.body.body.results[k] == Operand(result.name)) result = one.results[k];
        }
      }
    }
    for (Statement& each : body.statements) {
      if (!uses_accumulators(each, names_)) return false;
      each.tokens.insert(each.tokens.end(), one.tokens.begin(), one.tokens.end());
      additions_.push_back(std::move(each));
    }
    return true;
  }

  const Statement* maker_of(NameId name) const {
    const auto found = std::find_if(made_.begin(), made_.end(), [&](const Statement& one) {
      return std::any_of(one.results.begin(), one.results.end(),
                         [&](const Binder& r) { return r.name == name; });
    });
    return found == made_.end() ? nullptr : &*found;
  }

  // What the additions need of the map's body: again, or of all points.  What asserts stays with
  // the values, and so has to stay what it guards the reading of; additions outside do nothing.
  void need(const Statement& one) {
    is_possible_ = is_possible_ && !has_guarded_read(one);
    for (const NameId name : free_names(one, names_)) {
      const Statement* const maker = maker_of(name);
      if (maker == nullptr || again_.contains(name) || kept_.contains(name)) continue;
      if (names_.type(name).kind == TypeKind::token) continue;
      int budget = most_repeated_statements;
      if (is_cheap(*maker, budget)) {
        repeat(*maker);
      } else {
        keep(name);
      }
    }
  }

  bool is_guarded(const Statement& one) const {
    return std::any_of(one.tokens.begin(), one.tokens.end(),
                       [&](NameId token) { return maker_of(token) != nullptr; });
  }

  bool has_guarded_read(const Statement& one) const {
    if ((as<Index>(one.operation) || as<Slice>(one.operation)) && is_guarded(one)) return true;
    bool any = false;
    for_each_scope(one.operation, [&](const Body& inside) {
      for (const Statement& each : inside.statements) any = any || has_guarded_read(each);
    });
    return any;
  }

  bool is_cheap(const Statement& maker, int& budget) const {
    if (is_guarded(maker) || !is_cheap_alone(maker, budget, names_)) return false;
    const std::vector<NameId> used = free_names(maker, names_);
    return std::all_of(used.begin(), used.end(), [&](NameId name) {
      const Statement* const next = maker_of(name);
      return next == nullptr || again_.contains(name) || is_cheap(*next, budget);
    });
  }

  void repeat(const Statement& maker) {
    need(maker);
    for (const Binder& result : maker.results) again_.insert(result.name);
    repeated_.push_back(maker);
  }

  void keep(NameId name) {
    const Type& type = names_.type(name);
    const bool has_one_shape = std::all_of(
        type.shape.begin(), type.shape.end(),
        [&](const Operand& size) { return !size.is_name() || maker_of(size.name()) == nullptr; });
    is_possible_ =
        is_possible_ && type.kind == TypeKind::value && has_one_shape && !consumed_.contains(name);
    kept_.insert(name);
  }

  Statement values() {
    MapScanReduce map = map_;
    Statement made = statement_;
    map.map.body.statements = made_;
    select_results(made, map, [&](std::size_t k) { return !gives_accumulator(k); });
    for (std::size_t k = value_count(map.reductions); k < made.results.size(); ++k) {
      const Operand& result = map.map.body.results[k];
      if (result.is_name()) arrays_.emplace(result.name(), made.results[k].name);
    }
    for (const NameId name : kept_) {
      if (arrays_.contains(name)) continue;
      const Type& type = names_.type(name);
      const NameId all = names_.fresh(names_.base(name), array_over(map.width, type));
      arrays_.emplace(name, all);
      made.results.push_back({all});
      map.map.body.results.emplace_back(name);
      map.map.result_types.push_back(type);
    }
    drop_arrays(map.arrays, map.map,
                [&](std::size_t k) { return is_accumulator(map.arrays[k], names_); });
    made.operation = std::move(map);
    return made;
  }

  // In names of their own, but for what leaves them.
  Statement additions() {
    MapScanReduce map = map_;
    Statement made = statement_;
    select_results(made, map, [&](std::size_t k) { return gives_accumulator(k); });
    map.reductions.clear();
    for (const NameId name : kept_) {
      map.arrays.push_back(arrays_.at(name));
      map.map.parameters.push_back({name});
    }
    map.map.body.statements = std::move(repeated_);
    std::move(additions_.begin(), additions_.end(), std::back_inserter(map.map.body.statements));
    drop_tokens(map.map.body.statements, [&](NameId token) { return maker_of(token) != nullptr; });
    drop_unread(map, names_);
    made.operation = std::move(map);
    return renamed(made, names_);
  }

  bool gives_accumulator(std::size_t result) const {
    return is_accumulator(statement_.results[result].name, names_);
  }

  const Statement& statement_;
  const MapScanReduce& map_;
  Environment& environment_;
  Names& names_;
  std::vector<Statement> made_;
  std::vector<Statement> additions_;
  std::vector<Statement> repeated_;
  NameSet again_;
  std::set<NameId> kept_;
  NameSet consumed_;
  std::unordered_map<NameId, NameId> arrays_;  // of results and kept values
  bool is_possible_ = true;
};

bool has_sum(const Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    const auto* map = as<MapScanReduce>(one.operation);
    return map && (!map->reductions.empty() || has_sum(map->map.body));
  });
}

}  // namespace

std::optional<Apart> set_additions_apart(const Statement& statement, bool for_ranks,
                                         Environment& environment) {
  Names& names = environment.names();
  const auto& with = std::get<WithAccumulator>(statement.operation);
  const Body& body = with.body.body;
  if (body.statements.size() != 1 || !as<MapScanReduce>(body.statements[0].operation)) {
    return std::nullopt;
  }
  auto inside = Parting(body.statements[0], environment).take();
  if (!inside || inside->values.results.empty() || !has_sum({{inside->values}, {}})) {
    return std::nullopt;
  }
  // Values leave under the names that they have outside the scope.
  Apart apart{std::move(inside->values), statement};
  auto& rest = std::get<WithAccumulator>(apart.additions.operation);
  rest.body.body = {{std::move(inside->additions)}, {}};
  rest.body.result_types.clear();
  apart.additions.results.clear();
  Substitution outside;
  for (std::size_t k = 0; k < statement.results.size(); ++k) {
    const Operand& result = body.results[k];
    const auto same = [&](const Binder& one) { return result == Operand(one.name); };
    const auto value = std::find_if(apart.values.results.begin(), apart.values.results.end(), same);
    if (value != apart.values.results.end()) {
      outside.emplace(value->name, statement.results[k].name);
      value->name = statement.results[k].name;
      continue;
    }
    rest.body.body.results.push_back(result);
    rest.body.result_types.push_back(with.body.result_types[k]);
    apart.additions.results.push_back(statement.results[k]);
  }
  substitute(rest.body, outside, names);
  if (!elements_know_who_adds(apart.additions, environment.ranges(), for_ranks, names)) {
    return std::nullopt;
  }
  return apart;
}

}  // namespace dagaz::passes::ad
