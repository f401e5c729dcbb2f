#include "passes/ad/additions_apart.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/fields.h"
#include "ir/value_count.h"
#include "passes/ad/consumption.h"
#include "passes/ad/summed_map.h"
#include "passes/map_parts.h"
#include "passes/passes.h"
#include "passes/tokens.h"
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
  return !as<Scalar>(one.operation) || budget-- > 0;
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
      } else if (!as<MapScanReduce>(one.operation)) {
        return false;
      } else {
        auto inside = Parting(one, environment_).take();
        if (!inside) return false;
        made_.push_back(std::move(inside->values));
        additions_.push_back(std::move(inside->additions));
      }
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

std::optional<Apart> set_additions_apart(const Statement& statement, Environment& environment) {
  Names& names = environment.names();
  const auto& with = std::get<WithAccumulator>(statement.operation);
  const Body& body = with.body.body;
  if (body.statements.size() != 1 || gives_only_accumulators(body.statements[0], names)) {
    return std::nullopt;
  }
  auto inside = Parting(body.statements[0], environment).take();
  if (!inside || !has_sum({{inside->values}, {}})) return std::nullopt;
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
  if (!elements_know_who_adds(apart.additions, environment.ranges(), names)) return std::nullopt;
  return apart;
}

}  // namespace dagaz::passes::ad
