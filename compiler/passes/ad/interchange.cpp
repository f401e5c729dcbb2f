// Interchange of a sum with a nest of maps; see the header.
#include "passes/ad/interchange.h"

#include <algorithm>
#include <numeric>

#include "passes/ad/linear_core.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

void SumOverIterations::set_map(const MapScanReduce& map, std::vector<Statement>& statements,
                         const std::vector<Operand>& kept) {
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    arrays_.emplace(map.map.parameters[i].name, map.arrays[i]);
  }
  site_.set(map.map.parameters, map.arrays, statements, kept);
}

void SumOverIterations::set_loop(const Varying& varying, std::vector<Statement>& statements,
                          const std::vector<Operand>& kept) {
  is_loop_ = true;
  std::vector<Binder> names;
  std::vector<NameId> arrays;
  for (const auto& [name, array] : varying) {
    names.push_back(Binder{name});
    arrays.push_back(array.value_or(NameId()));
    if (array) arrays_.emplace(name, *array);
  }
  site_.set(names, arrays, statements, kept);
}

void SumOverIterations::set_part(const MapScanReduce& map) {
  width_ = map.width;
  for (std::size_t i = 0; i < map.arrays.size(); ++i) {
    arrays_.insert_or_assign(map.map.parameters[i].name, map.arrays[i]);
  }
}

// ---------------------------------------------------------------- planning

std::optional<SumOverIterations::Plan> SumOverIterations::plan(const Operand& contribution) {
  Plan plan;
  NameId value = contribution.name();
  for (;;) {
    const auto* source = site_.definition(value);
    if (source == nullptr) break;
    const Operation& operation = source->statement->operation;
    if (const auto* copy = as<Copy>(operation)) {
      value = copy->array;
    } else if (const auto* permute = as<Permute>(operation)) {
      plan.views.insert(plan.views.begin(), *permute);
      value = permute->array;
    } else if (const auto* reshape = as<Reshape>(operation);
               reshape != nullptr && site_.is_outside(Type{{}, reshape->shape})) {
      plan.views.insert(plan.views.begin(), *reshape);
      value = reshape->array;
    } else {
      break;
    }
  }
  auto nest = SumNestBuilder(environment_->names(), site_).build(value);
  const Names& names = environment_->names();
  const std::vector<NameId> stored = nest ? needed(*nest) : std::vector<NameId>();
  const bool is_less = std::all_of(stored.begin(), stored.end(), [&](NameId name) {
    return names.type(name).rank() < names.type(contribution).rank();
  });
  if (!nest || (is_loop_ && !is_less)) {
    site_.mark_live(contribution.name());
    return std::nullopt;
  }
  for (const NameId name : stored) {
    if (std::find(materialised_.begin(), materialised_.end(), name) == materialised_.end()) {
      materialised_.push_back(name);
    }
  }
  plan.nest = std::move(*nest);
  return plan;
}

// What the nest needs of the site's body in each iteration, and there is no array of.
std::vector<NameId> SumOverIterations::needed(const SumNest& nest) const {
  std::vector<NameId> names;
  const auto use = [&](NameId name) {
    if (!site_.is_outside(name) && !arrays_.contains(name)) names.push_back(name);
  };
  for (const SumNest::Level& level : nest.levels) {
    for (const NameId array : level.arrays) use(array);
    for (const Statement& view : level.views) {
      for (const NameId name : free_names(view, environment_->names())) use(name);
    }
  }
  for (const NameId name : free_names(nest.core, environment_->names())) use(name);
  return names;
}

void SumOverIterations::set_results(const std::vector<NameId>& arrays) {
  results_ = arrays;
  for (std::size_t i = 0; i < materialised_.size(); ++i) {
    arrays_.insert_or_assign(materialised_[i], arrays[i]);
  }
}

// ---------------------------------------------------------------- emission

namespace {

bool loops(const Body& core) {
  return std::any_of(core.statements.begin(), core.statements.end(), [](const Statement& each) {
    return std::holds_alternative<MapScanReduce>(each.operation);
  });
}

}  // namespace

// Where a nest's core is linear in what differs between iterations, that is summed as soon as it
// appears: if it appears further out than the core, or the core is itself a sum, then the core is
// evaluated once instead of in every iteration.
void SumOverIterations::plan_early_sums(const SumNest& nest) {
  const Names& names = environment_->names();
  early_.clear();
  totals_.clear();
  std::unordered_map<NameId, std::size_t> levels;  // of names that differ
  for (const auto& [name, array] : arrays_) levels.emplace(name, 0);
  for (std::size_t i = 0; i < nest.levels.size(); ++i) {
    const SumNest::Level& level = nest.levels[i];
    for (std::size_t k = 0; k < level.arrays.size(); ++k) {
      if (levels.count(level.arrays[k]) != 0) levels.emplace(level.parameters[k].name, i);
    }
    for (const Statement& view : level.views) {
      const std::vector<NameId> used = free_names(view, names);
      const bool differs = std::any_of(used.begin(), used.end(),
                                       [&](NameId each) { return levels.count(each) != 0; });
      if (differs) levels.emplace(view.results.front().name, i);
    }
  }
  NameSet varying;
  bool pays = loops(nest.core);
  std::vector<EarlySum> early;
  for (const NameId name : free_names(nest.core, names)) {
    const auto found = levels.find(name);
    if (found == levels.end()) continue;
    varying.insert(name);
    early.push_back({name, found->second});
    pays = pays || found->second + 1 < nest.levels.size();
  }
  if (pays && is_linear(nest.core, varying, names)) early_ = std::move(early);
}

void SumOverIterations::sum_early(std::size_t level, const PerIteration& arrays) {
  for (const EarlySum& each : early_) {
    if (each.level != level) continue;
    totals_.insert_or_assign(each.name, environment_->sum_of_rows(arrays.at(each.name)));
  }
}

NameId SumOverIterations::emit(Plan plan) {
  PerIteration arrays = arrays_;
  plan_early_sums(plan.nest);
  emit_views(plan.nest.levels[0].views, arrays);
  sum_early(0, arrays);
  NameId sum = emit_level(plan.nest, 1, std::move(arrays));
  for (Operation view : plan.views) {
    if (auto* permute = as<Permute>(view)) permute->array = sum;
    if (auto* reshape = as<Reshape>(view)) reshape->array = sum;
    sum = environment_->out().add(std::move(view), "sum");
  }
  return sum;
}

// A view of what differs between iterations is a view of all of it, one dimension further in.
void SumOverIterations::emit_views(std::vector<Statement>& views, PerIteration& arrays) {
  Names& names = environment_->names();
  for (Statement& view : views) {
    auto* permute = as<Permute>(view.operation);
    const auto found =
        permute == nullptr ? arrays.end() : arrays.find(permute->array);
    if (found == arrays.end()) {
      environment_->out().add(std::move(view));
      continue;
    }
    std::vector<int> permutation = {0};
    for (const int dimension : permute->permutation) permutation.push_back(dimension + 1);
    const NameId name = view.results.front().name;
    arrays.insert_or_assign(name, environment_->out().add(Permute{found->second, permutation},
                                                          names.base(name)));
  }
}

// Lets a level map over `array`; an array for all iterations is mapped over in its second
// dimension.
void SumOverIterations::enter_row(NameId array, const Binder& parameter, PerIteration& arrays,
                             MapScanReduce& map) {
  Names& names = environment_->names();
  const auto found = arrays.find(array);
  if (found == arrays.end()) {
    map.arrays.push_back(array);
    map.map.parameters.push_back(parameter);
    return;
  }
  std::vector<int> swap(names.type(found->second).rank());
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[0], swap[1]);
  const NameId columns = environment_->out().add(Permute{found->second, swap}, "columns");
  const NameId column =
      names.fresh(names.base(parameter.name) + "s", row_of(names.type(columns)));
  map.arrays.push_back(columns);
  map.map.parameters.push_back(Binder{column});
  arrays.insert_or_assign(parameter.name, column);
}

NameId SumOverIterations::emit_level(SumNest& nest, std::size_t level, PerIteration arrays) {
  SumNest::Level& here = nest.levels[level];
  MapScanReduce map;
  map.width = here.width;
  map.sequential = here.sequential;
  for (std::size_t i = 0; i < here.arrays.size(); ++i) {
    enter_row(here.arrays[i], here.parameters[i], arrays, map);
  }
  Type row = nest.type;
  {
    NestedScope scope(*environment_);
    emit_views(here.views, arrays);
    sum_early(level, arrays);
    Operand value;
    if (level + 1 == nest.levels.size()) {
      value = emit_core(nest, arrays);
    } else {
      const NameId rows = emit_level(nest, level + 1, std::move(arrays));
      row = environment_->names().type(rows);
      value = rows;
    }
    map.map.body = scope.take({value});
  }
  map.map.result_types = {row};
  const NameId sum = environment_->names().fresh("sum", array_over(map.width, row));
  environment_->out().add(
      Statement{{Binder{sum}}, std::move(map), {}, environment_->out().location()});
  return sum;
}

// The sum over the iterations of the core's result.
Operand SumOverIterations::emit_core(SumNest& nest, const PerIteration& arrays) {
  Names& names = environment_->names();
  if (!early_.empty()) {
    substitute(nest.core, totals_, names);
    environment_->out().add_all(std::move(nest.core.statements));
    return nest.core.results.front();
  }
  MapScanReduce sum;
  sum.width = width_;
  Substitution elements;
  for (const NameId name : free_names(nest.core, names)) {
    const auto found = arrays.find(name);
    if (found == arrays.end()) continue;
    const NameId element = names.fresh(names.base(name), row_of(names.type(found->second)));
    sum.arrays.push_back(found->second);
    sum.map.parameters.push_back(Binder{element});
    elements.emplace(name, element);
  }
  sum.map.body = std::move(nest.core);
  substitute(sum.map.body, elements, names);
  sum.map.result_types = {nest.type};
  sum.reductions.push_back(environment_->addition(nest.type));
  const NameId result = names.fresh("sum", nest.type);
  environment_->out().add(
      Statement{{Binder{result}}, std::move(sum), {}, environment_->out().location()});
  return result;
}

}  // namespace dagaz::passes::ad
