// Interchange of a sum with a nest of maps; see the header.
#include "passes/ad/interchange.h"

#include <algorithm>
#include <numeric>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// The level below: a lambda body of scalar statements and then one map that gives result `result`.
struct Below {
  std::size_t map;     // index of the statement
  std::size_t result;  // of that statement
};

bool is_scalar_statement(const Statement& statement, const Names& names) {
  return (std::holds_alternative<Scalar>(statement.operation) ||
          std::holds_alternative<Identity>(statement.operation) ||
          std::holds_alternative<Index>(statement.operation)) &&
         statement.tokens.empty() && names.type(statement.results[0].name).is_scalar();
}

std::optional<Below> below(const Lambda& lambda, std::size_t result, const Names& names) {
  const Operand& value = lambda.body.results[result];
  if (!value.is_name()) return std::nullopt;
  std::optional<Below> found;
  const auto& statements = lambda.body.statements;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (std::size_t r = 0; r < statements[i].results.size(); ++r) {
      if (statements[i].results[r].name == value.name()) found = Below{i, r};
    }
  }
  if (!found) return std::nullopt;
  const Statement& inner = statements[found->map];
  const auto* map = as<MapScanReduce>(inner.operation);
  if (map == nullptr || !is_pure_map(*map) || !inner.tokens.empty()) return std::nullopt;
  NameSet scalars;
  for (std::size_t i = 0; i < found->map; ++i) {
    // Statements for other results do not matter.
    if (!is_scalar_statement(statements[i], names)) continue;
    for (const Binder& each : statements[i].results) scalars.insert(each.name);
  }
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i == found->map || is_scalar_statement(statements[i], names)) continue;
    for (const Binder& each : statements[i].results) {
      const auto used = free_names(inner, names);
      if (std::find(used.begin(), used.end(), each.name) != used.end()) return std::nullopt;
    }
  }
  // The shape of the nest must not be computed inside it.
  for (const NameId array : map->arrays) {
    if (scalars.count(array) != 0) return std::nullopt;
  }
  if (map->width.is_name() && scalars.count(map->width.name()) != 0) return std::nullopt;
  return found;
}

// Whether the nest reaches scalars by maps alone.
bool reaches_scalars(const MapScanReduce& nest, std::size_t result, const Names& names) {
  if (nest.map.result_types[result].is_scalar()) return true;
  if (nest.map.result_types[result].kind != TypeKind::value) return false;
  const auto next = below(nest.map, result, names);
  if (!next) return false;
  const Statement& inner = nest.map.body.statements[next->map];
  return reaches_scalars(std::get<MapScanReduce>(inner.operation), next->result, names);
}

void keep_result(Lambda& lambda, std::size_t result) {
  lambda.body.results = {lambda.body.results[result]};
  lambda.result_types = {lambda.result_types[result]};
}

}  // namespace

void SumOverMap::set_map(const MapScanReduce& map, const std::vector<Statement>& statements) {
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    arrays_.emplace(map.map.parameters[i].name, map.arrays[i]);
  }
  for (const Statement& statement : statements) {
    for (const Binder& result : statement.results) definitions_.emplace(result.name, statement);
  }
}

bool SumOverMap::is_invariant(const Operand& operand) const {
  return operand.is_constant() || (arrays_.count(operand.name()) == 0 &&
                                   definitions_.count(operand.name()) == 0);
}

// Whether the nest's inputs can be had for all iterations at once.
bool SumOverMap::needs_only_iterations(const Statement& nest, std::vector<NameId>& needed) const {
  const Names& names = environment_->names();
  for (const NameId name : free_names(nest, names)) {
    if (definitions_.count(name) == 0) continue;
    const Type& type = names.type(name);
    if (type.kind != TypeKind::value) return false;
    for (const Operand& size : type.shape) {
      if (!is_invariant(size)) return false;
    }
    needed.push_back(name);
  }
  return true;
}

std::optional<SumOverMap::Plan> SumOverMap::plan(const Operand& contribution) {
  const Names& names = environment_->names();
  Plan plan;
  NameId value = contribution.name();
  for (;;) {
    const auto found = definitions_.find(value);
    if (found == definitions_.end()) return std::nullopt;
    const Operation& operation = found->second.operation;
    if (const auto* copy = as<Copy>(operation)) {
      value = copy->array;
      continue;
    }
    if (const auto* permute = as<Permute>(operation)) {
      plan.views.insert(plan.views.begin(), *permute);
      value = permute->array;
      continue;
    }
    if (const auto* reshape = as<Reshape>(operation)) {
      for (const Operand& size : reshape->shape) {
        if (!is_invariant(size)) return std::nullopt;
      }
      plan.views.insert(plan.views.begin(), *reshape);
      value = reshape->array;
      continue;
    }
    const auto* map = as<MapScanReduce>(operation);
    if (map == nullptr || !is_pure_map(*map) || !found->second.tokens.empty() ||
        !is_invariant(map->width)) {
      return std::nullopt;
    }
    plan.nest = found->second;
    break;
  }
  for (std::size_t i = 0; i < plan.nest.results.size(); ++i) {
    if (plan.nest.results[i].name == value) plan.result = i;
  }
  auto& nest = std::get<MapScanReduce>(plan.nest.operation);
  if (!reaches_scalars(nest, plan.result, names)) return std::nullopt;
  keep_result(nest.map, plan.result);
  plan.nest.results = {plan.nest.results[plan.result]};
  plan.result = 0;
  std::vector<NameId> needed;
  if (!needs_only_iterations(plan.nest, needed)) return std::nullopt;
  for (const NameId name : needed) {
    if (std::find(materialised_.begin(), materialised_.end(), name) == materialised_.end()) {
      materialised_.push_back(name);
    }
  }
  return plan;
}

void SumOverMap::set_results(const std::vector<NameId>& arrays) {
  for (std::size_t i = 0; i < materialised_.size(); ++i) {
    arrays_.insert_or_assign(materialised_[i], arrays[i]);
  }
}

NameId SumOverMap::emit(const Plan& plan) {
  // The statements are in the map's body as well: names inside are bound anew here.
  Statement copy = renamed(plan.nest, environment_->names());
  NameId sum = emit_level(std::move(std::get<MapScanReduce>(copy.operation)), plan.result,
                          arrays_, {});
  for (Operation view : plan.views) {
    if (auto* permute = as<Permute>(view)) permute->array = sum;
    if (auto* reshape = as<Reshape>(view)) reshape->array = sum;
    sum = environment_->out().add(std::move(view), "sum");
  }
  return sum;
}

NameId SumOverMap::emit_level(MapScanReduce nest, std::size_t result, PerIteration arrays,
                              std::vector<Statement> prefix) {
  Names& names = environment_->names();
  MapScanReduce level;
  level.width = nest.width;
  level.sequential = nest.sequential;
  for (std::size_t i = 0; i < nest.arrays.size(); ++i) {
    const NameId parameter = nest.map.parameters[i].name;
    const auto found = arrays.find(nest.arrays[i]);
    if (found == arrays.end()) {
      level.arrays.push_back(nest.arrays[i]);
      level.map.parameters.push_back(Binder{parameter});
      continue;
    }
    // One array for all iterations: its second dimension is the one mapped over here.
    std::vector<int> swap(names.type(found->second).rank());
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[0], swap[1]);
    const NameId columns = environment_->out().add(Permute{found->second, swap}, "columns");
    const NameId column =
        names.fresh(names.base(parameter) + "s", row_of(names.type(columns)));
    level.arrays.push_back(columns);
    level.map.parameters.push_back(Binder{column});
    arrays.insert_or_assign(parameter, column);
  }
  const Type row = nest.map.result_types[result];
  {
    NestedScope scope(*environment_);
    Operand value;
    const auto next = row.is_scalar() ? std::nullopt : below(nest.map, result, names);
    if (next) {
      auto& statements = nest.map.body.statements;
      for (std::size_t i = 0; i < next->map; ++i) {
        if (is_scalar_statement(statements[i], names)) prefix.push_back(std::move(statements[i]));
      }
      auto inner = std::move(std::get<MapScanReduce>(statements[next->map].operation));
      value = emit_level(std::move(inner), next->result, std::move(arrays), std::move(prefix));
    } else {
      Body core;
      core.statements = std::move(prefix);
      for (Statement& each : nest.map.body.statements) {
        core.statements.push_back(std::move(each));
      }
      core.results = {nest.map.body.results[result]};
      value = emit_core(std::move(core), arrays, row);
    }
    level.map.body = scope.take({value});
  }
  level.map.result_types = {row};
  const Type type = array_over(level.width, row);
  const NameId sum = names.fresh("sum", type);
  environment_->out().add(
      Statement{{Binder{sum}}, std::move(level), {}, environment_->out().location()});
  return sum;
}

// The sum over the iterations of a scalar computed by `body`.
Operand SumOverMap::emit_core(Body body, const PerIteration& arrays, const Type& type) {
  Names& names = environment_->names();
  MapScanReduce sum;
  sum.width = width_;
  Substitution elements;
  for (const NameId name : free_names(body, names)) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) continue;
    const NameId element = names.fresh(names.base(name), row_of(names.type(found->second)));
    sum.arrays.push_back(found->second);
    sum.map.parameters.push_back(Binder{element});
    elements.emplace(name, element);
  }
  substitute(body, elements, names);
  sum.map.body = std::move(body);
  sum.map.result_types = {type};
  sum.reductions.push_back(environment_->addition(type));
  const NameId result = names.fresh("sum", type);
  environment_->out().add(
      Statement{{Binder{result}}, std::move(sum), {}, environment_->out().location()});
  return result;
}

}  // namespace dagaz::passes::ad
