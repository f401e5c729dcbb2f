// Interchange of a sum with a nest of maps; see the header.
#include "passes/ad/interchange.h"

#include <algorithm>
#include <numeric>

#include "passes/ad/accumulators.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// The level below: a lambda body of scalar statements and then one map that gives result `result`.
struct Below {
  std::size_t map;                 // index of the statement
  std::size_t result;              // of that statement
  std::vector<std::size_t> prefix; // the scalar statements that the map needs
};

bool is_scalar_statement(const Statement& statement, const Names& names) {
  return (std::holds_alternative<Scalar>(statement.operation) ||
          std::holds_alternative<Identity>(statement.operation) ||
          std::holds_alternative<Index>(statement.operation)) &&
         statement.tokens.empty() && names.type(statement.results[0].name).is_scalar();
}

// Where each name of a list of statements is bound.
std::unordered_map<NameId, std::size_t> binding_positions(const std::vector<Statement>& statements) {
  std::unordered_map<NameId, std::size_t> positions;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const Binder& result : statements[i].results) positions.emplace(result.name, i);
  }
  return positions;
}

// The pure map that computes result `result` of `lambda`; without its prefix.
std::optional<Below> map_below(const Lambda& lambda, std::size_t result) {
  const Operand& value = lambda.body.results[result];
  if (!value.is_name()) return std::nullopt;
  const auto& statements = lambda.body.statements;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (std::size_t r = 0; r < statements[i].results.size(); ++r) {
      if (statements[i].results[r].name != value.name()) continue;
      const auto* map = as<MapScanReduce>(statements[i].operation);
      if (map == nullptr || !is_pure_map(*map) || !statements[i].tokens.empty()) {
        return std::nullopt;
      }
      return Below{i, r, {}};
    }
  }
  return std::nullopt;
}

std::optional<Below> below(const Lambda& lambda, std::size_t result, const Names& names) {
  auto found = map_below(lambda, result);
  if (!found) return std::nullopt;
  const auto& statements = lambda.body.statements;
  const auto positions = binding_positions(statements);
  const auto& map = std::get<MapScanReduce>(statements[found->map].operation);
  // The shape of the nest must not be computed inside it.
  for (const NameId array : map.arrays) {
    if (positions.count(array) != 0) return std::nullopt;
  }
  if (map.width.is_name() && positions.count(map.width.name()) != 0) return std::nullopt;
  // All that the map needs, and what that needs in turn, must be scalar.
  std::vector<bool> needed(statements.size(), false);
  std::vector<NameId> open = free_names(statements[found->map], names);
  while (!open.empty()) {
    const auto position = positions.find(open.back());
    open.pop_back();
    if (position == positions.end() || needed[position->second]) continue;
    const Statement& source = statements[position->second];
    if (!is_scalar_statement(source, names)) return std::nullopt;
    needed[position->second] = true;
    for (const NameId name : free_names(source, names)) open.push_back(name);
  }
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (needed[i]) found->prefix.push_back(i);
  }
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

// Whether a level does more than scalar work.  Scalar work is done again under the sum, so that
// what is summed is never written.
bool is_expensive(const Body& body, const Names& names) {
  return !std::all_of(body.statements.begin(), body.statements.end(),
                      [&](const Statement& each) { return is_scalar_statement(each, names); });
}

void keep_result(Lambda& lambda, std::size_t result) {
  lambda.body.results = {lambda.body.results[result]};
  lambda.result_types = {lambda.result_types[result]};
}

}  // namespace

void SumOverMap::set_map(const MapScanReduce& map, std::vector<Statement>& statements) {
  statements_ = &statements;
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    arrays_.emplace(map.map.parameters[i].name, map.arrays[i]);
  }
  definitions_ = binding_positions(statements);
}

// A map that gives the elements of a result of `source`: what the map has computed already is
// kept for all iterations instead of being computed again under the sum.
Statement SumOverMap::elements_of(const Statement& source, std::size_t result) {
  const auto& map = std::get<MapScanReduce>(source.operation);
  const Type row = map.map.result_types[result];
  const NameId element = environment_->names().fresh("element", row);
  MapScanReduce nest;
  nest.width = map.width;
  nest.arrays = {source.results[result].name};
  nest.map.parameters = {Binder{element}};
  nest.map.body.results = {Operand(element)};
  nest.map.result_types = {row};
  const NameId elements = environment_->names().fresh_like(source.results[result].name);
  return Statement{{Binder{elements}}, std::move(nest), {}, source.location};
}

// Splits a level whose inner map needs scalars that the level computes,
//   map (\xs -> let s = … in map (\y -> f s y))  =  map (\s … -> map (\y -> f s y)) (map (\xs -> s))
// so that the computation of s is not repeated for every element below it: s becomes a further
// result of the statement in the map's body, and what is returned is the perfect nest over it.
std::optional<Statement> SumOverMap::split_level(std::size_t position, std::size_t result) {
  Names& names = environment_->names();
  Statement& whole = (*statements_)[position];
  auto& level = std::get<MapScanReduce>(whole.operation);
  const auto found = map_below(level.map, result);
  if (!found) return std::nullopt;
  const auto positions = binding_positions(level.map.body.statements);
  Statement inner = level.map.body.statements[found->map];
  const auto& inner_map = std::get<MapScanReduce>(inner.operation);
  const auto computed = [&](NameId name) { return positions.count(name) != 0; };
  if (std::any_of(inner_map.arrays.begin(), inner_map.arrays.end(), computed)) return std::nullopt;
  std::vector<NameId> scalars;
  for (const NameId name : free_names(inner, names)) {
    if (!computed(name)) continue;
    if (!names.type(name).is_scalar() || !is_float(names.type(name).element)) return std::nullopt;
    scalars.push_back(name);
  }
  MapScanReduce nest;
  nest.width = level.width;
  nest.arrays = level.arrays;
  nest.map.parameters = level.map.parameters;
  Substitution elements;
  for (const NameId scalar : scalars) {
    const Type row = names.type(scalar);
    const NameId values = names.fresh(names.base(scalar), array_over(level.width, row));
    whole.results.push_back(Binder{values});
    level.map.body.results.push_back(Operand(scalar));
    level.map.result_types.push_back(row);
    definitions_.emplace(values, position);
    const NameId element = names.fresh(names.base(scalar), row);
    nest.arrays.push_back(values);
    nest.map.parameters.push_back(Binder{element});
    elements.emplace(scalar, element);
  }
  // The copy binds names of its own before anything in it is replaced.
  const NameId value = names.fresh_like(inner.results[found->result].name);
  inner = renamed(inner, names);
  inner.results[found->result] = Binder{value};
  for (std::size_t r = 0; r < inner.results.size(); ++r) {
    if (r != found->result) inner.results[r] = Binder{names.fresh_like(inner.results[r].name)};
  }
  substitute(inner, elements, names);
  nest.map.body.statements.push_back(std::move(inner));
  nest.map.body.results = {Operand(value)};
  nest.map.result_types = {level.map.result_types[result]};
  return Statement{{whole.results[result]}, std::move(nest), {}, whole.location};
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
  std::size_t position = 0;
  for (;;) {
    const auto found = definitions_.find(value);
    if (found == definitions_.end()) return std::nullopt;
    const Operation& operation = (*statements_)[found->second].operation;
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
    if (map == nullptr || !is_pure_map(*map) ||
        !(*statements_)[found->second].tokens.empty() || !is_invariant(map->width)) {
      return std::nullopt;
    }
    position = found->second;
    break;
  }
  const Statement& source = (*statements_)[position];
  std::size_t result = 0;
  for (std::size_t i = 0; i < source.results.size(); ++i) {
    if (source.results[i].name == value) result = i;
  }
  const auto& map = std::get<MapScanReduce>(source.operation);
  std::optional<Statement> split;
  if (!map.map.result_types[result].is_scalar()) {
    split = split_level(position, result);
  } else if (is_expensive(map.map.body, names)) {
    split = elements_of(source, result);
  }
  if (split) {
    plan.nest = std::move(*split);
  } else {
    plan.nest = source;
    keep_result(std::get<MapScanReduce>(plan.nest.operation).map, result);
    plan.nest.results = {plan.nest.results[result]};
  }
  // What the nest accumulates, it accumulates in the map's body.
  strip_accumulators(plan.nest, names);
  if (!reaches_scalars(std::get<MapScanReduce>(plan.nest.operation), 0, names)) {
    return std::nullopt;
  }
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
  NameId sum = emit_level(std::move(std::get<MapScanReduce>(copy.operation)), 0,
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
      for (const std::size_t i : next->prefix) prefix.push_back(std::move(statements[i]));
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
