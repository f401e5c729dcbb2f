#include "passes/ad/sum_nest.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

std::optional<SumNest> SumNestBuilder::build(NameId array) {
  nest_.levels.emplace_back();
  rows_.emplace_back();
  Operand target = array;
  while (!names_->type(target).is_scalar()) {
    if (!target.is_name()) return std::nullopt;
    const Definition* source = site_->definition(target);
    const auto* copy = source == nullptr ? nullptr : as<Copy>(source->statement->operation);
    if (copy != nullptr) {
      target = copy->array;
    } else if (source != nullptr && is_in_core(*source) && enter_map(*source)) {
      const auto& map = std::get<MapScanReduce>(source->statement->operation);
      target = map.map.body.results[source->result];
    } else {
      // An array that is there already; what each iteration makes as a whole stays with it.
      const bool made_here = source != nullptr && !site_->is_kept(target.name()) &&
                             !std::holds_alternative<Replicate>(source->statement->operation);
      if (made_here || !enter_rows(target.name())) return std::nullopt;
      target = nest_.core.results.front();
      break;
    }
  }
  if (maps_.empty()) return std::nullopt;
  nest_.type = names_->type(target);
  if (nest_.core.results.empty()) {
    const auto result = value(target);
    if (!result) return std::nullopt;
    nest_.core.results = {*result};
  }
  // What moves keeps its order: something in it may be overwritten.  The maps that join the core
  // are of one body with the innermost one, which uses them.
  std::sort(moved_.begin(), moved_.end(), [](const Moved& a, const Moved& b) {
    return std::pair(a.around, a.original) < std::pair(b.around, b.original);
  });
  nest_.core.statements = std::move(repeated_);
  for (Moved& each : moved_) nest_.core.statements.push_back(std::move(each.copy));
  return std::move(nest_);
}

// What guards the map in an iteration has been asked when all of them are done.
bool SumNestBuilder::enter_map(const Definition& definition) {
  Statement& statement = *definition.statement;
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map == nullptr || !is_mapped_result(*map, definition.result)) return false;
  if (!site_->is_outside(map->width)) return false;
  if (map->map.result_types[definition.result].kind != TypeKind::value) return false;
  maps_.push_back(&statement);
  SumNest::Level level;
  level.width = map->width;
  level.sequential = map->sequential;
  nest_.levels.push_back(std::move(level));
  rows_.emplace_back();
  return true;
}

// Levels over all dimensions of an array; the core is one element of it.
bool SumNestBuilder::enter_rows(NameId array) {
  const Type type = names_->type(array);
  if (!site_->is_outside(type)) return false;
  Operand rest = array;
  for (const Operand& width : type.shape) {
    maps_.push_back(nullptr);
    SumNest::Level level;
    level.width = width;
    nest_.levels.push_back(std::move(level));
    rows_.emplace_back();
    const auto next = row(maps_.size(), rest.name());
    if (!next) return false;
    rest = *next;
    // The row of a repeated value may be a value that is the same in all places.
    if (!rest.is_name()) break;
  }
  nest_.core.results = {rest};
  return names_->type(rest).is_scalar();
}

bool SumNestBuilder::is_in_core(const Definition& definition) const {
  if (maps_.empty()) return definition.around == nullptr;
  return maps_.back() != nullptr &&
         (definition.around == maps_.back() || joined_.count(definition.around) != 0);
}

// ---------------------------------------------------------------- values

std::optional<Operand> SumNestBuilder::value(const Operand& operand) {
  if (site_->is_outside(operand)) return operand;
  const NameId name = operand.name();
  if (const auto known = made_.find(name); known != made_.end()) return known->second;
  if (names_->type(name).kind != TypeKind::value) return std::nullopt;
  std::optional<Operand> result;
  if (const auto* parameter = site_->element(name)) {
    if (parameter->map == nullptr) {
      result = name;
      varying_.insert(name);
    } else {
      const auto* source = site_->definition(parameter->map->results.front().name);
      result = row(site_->level(*source) + 1, parameter->array);
    }
  } else {
    result = defined_value(name, *site_->definition(name));
  }
  if (result) made_.insert_or_assign(name, *result);
  return result;
}

std::optional<Operand> SumNestBuilder::defined_value(NameId name, const Definition& definition) {
  const EvaluationCost cost = evaluation_cost(*definition.statement, *names_);
  if (!is_in_core(definition)) {
    if (!names_->type(name).is_scalar()) return array_at(name, definition);
    int budget = most_repeated_statements;
    if (site_->is_kept(name) || !is_repeatable(name, budget)) return kept(name);
  } else {
    // What makes several values takes as long for one of them.
    const std::vector<Binder>& together = definition.statement->results;
    const bool is_live = std::any_of(together.begin(), together.end(),
                                     [&](const Binder& one) { return site_->is_live(one.name); });
    const bool twice = is_live && cost == EvaluationCost::heavy;
    int budget = most_repeated_statements;
    if (twice || (site_->is_kept(name) && !is_repeatable(name, budget))) return kept(name);
  }
  if (const auto result = moved(name, definition)) return result;
  return kept(name);
}

// Whether evaluating a scalar once more for every place of the nest costs next to nothing.
bool SumNestBuilder::is_repeatable(NameId name, int& budget) const {
  if (site_->is_outside(name) || made_.count(name) != 0) return true;
  if (names_->type(name).kind != TypeKind::value) return false;
  if (const auto* parameter = site_->element(name)) {
    return is_available(parameter->array, budget);
  }
  const Statement& statement = *site_->definition(name)->statement;
  if (!names_->type(name).is_scalar() ||
      evaluation_cost(statement, *names_) != EvaluationCost::cheap) {
    return false;
  }
  if (!is_index_arithmetic(statement) && budget-- == 0) return false;
  const std::vector<NameId> used = free_names(statement, *names_);
  return std::all_of(used.begin(), used.end(),
                     [&](NameId each) { return is_repeatable(each, budget); });
}

// Whether the elements of an array can be had without keeping more.
bool SumNestBuilder::is_available(NameId array, int& budget) const {
  if (site_->is_outside(array) || made_.count(array) != 0 || site_->is_kept(array)) return true;
  if (const auto* parameter = site_->element(array)) {
    return parameter->map == nullptr || is_available(parameter->array, budget);
  }
  const Definition& source = *site_->definition(array);
  const Operation& operation = source.statement->operation;
  if (const auto* each = as<Copy>(operation)) return is_available(each->array, budget);
  if (const auto* each = as<Permute>(operation)) return is_available(each->array, budget);
  const auto* map = as<MapScanReduce>(operation);
  if (map == nullptr || !is_mapped_result(*map, source.result) ||
      !source.statement->tokens.empty()) {
    return std::holds_alternative<Replicate>(operation) || std::holds_alternative<Iota>(operation);
  }
  if (!map->map.result_types[source.result].is_scalar()) return false;
  const Operand& result = map->map.body.results[source.result];
  return result.is_constant() || is_repeatable(result.name(), budget);
}

// An array of a level outside the core, as an array of that level of the nest.
std::optional<Operand> SumNestBuilder::array_at(NameId name, const Definition& definition) {
  const Statement& statement = *definition.statement;
  if (const auto* copy = as<Copy>(statement.operation)) return value(copy->array);
  if (const auto* same = as<Identity>(statement.operation)) return value(same->value);
  if (evaluation_cost(statement, *names_) == EvaluationCost::cheap) {
    // A view of an array of all iterations is a view again only if it keeps rows apart.
    const std::vector<NameId> used = free_names(statement, *names_);
    const bool same_for_all = std::none_of(used.begin(), used.end(), [&](NameId each) {
      const auto made = value(each);
      return !made || (made->is_name() && varying_.count(made->name()) != 0);
    });
    if (same_for_all || std::holds_alternative<Permute>(statement.operation)) {
      if (auto view = copied(statement)) {
        const NameId result = view->results.front().name;
        if (!same_for_all) varying_.insert(result);
        nest_.levels[site_->level(definition)].views.push_back(std::move(*view));
        return result;
      }
    }
  }
  return kept(name);
}

// ---------------------------------------------------------------- rows

// The map that makes the elements of an array, if each may be made where it is read: because that
// costs next to nothing, or because it happens once for each place of the nest and nowhere else.
const MapScanReduce* SumNestBuilder::producer_of_rows(std::size_t level, NameId array) {
  const Definition* source = site_->definition(array);
  if (source == nullptr || site_->is_kept(array) || !source->statement->tokens.empty()) {
    return nullptr;
  }
  const auto* map = as<MapScanReduce>(source->statement->operation);
  if (map == nullptr || !is_mapped_result(*map, source->result)) return nullptr;
  if (!map->map.result_types[source->result].is_scalar()) return nullptr;
  const Operand& result = map->map.body.results[source->result];
  int budget = most_repeated_statements;
  if (result.is_constant() || is_repeatable(result.name(), budget)) return map;
  const bool innermost = level == maps_.size() && maps_.back() != nullptr;
  if (!innermost || level != site_->level(*source) + 1 || site_->is_live(array)) return nullptr;
  joined_.insert(source->statement);
  return map;
}

// The element of `array`, an array of a level further out, in the level `level`.
std::optional<Operand> SumNestBuilder::row(std::size_t level, NameId array) {
  if (const auto known = rows_[level].find(array); known != rows_[level].end()) {
    return known->second;
  }
  std::optional<Operand> result;
  const Definition* source = site_->definition(array);
  const auto* replicate =
      source == nullptr ? nullptr : as<Replicate>(source->statement->operation);
  if (replicate != nullptr && replicate->shape.size() == 1) {
    result = value(replicate->value);
  } else if (const auto* producer = producer_of_rows(level, array)) {
    result = produced_row(level, *producer, source->result);
  } else if (auto read = read_of(array)) {
    result = read_again(level, array, std::move(*read));
  } else {
    const auto known = made_.find(array);
    const auto whole = known != made_.end() ? std::optional(known->second) : value(array);
    if (!whole || !whole->is_name() || is_read_again(*whole)) return std::nullopt;
    const NameId element = names_->fresh(names_->base(array), row_of(names_->type(array)));
    nest_.levels[level].arrays.push_back(whole->name());
    nest_.levels[level].parameters.push_back(Binder{element});
    if (varying_.count(whole->name()) != 0) varying_.insert(element);
    result = element;
  }
  if (result) rows_[level].insert_or_assign(array, *result);
  return result;
}

std::optional<Operand> SumNestBuilder::produced_row(std::size_t level,
                                                    const MapScanReduce& producer,
                                                    std::size_t result) {
  // It may have been copied into another level before.
  for (const Statement& each : producer.map.body.statements) {
    for (const Binder& bound : each.results) made_.erase(bound.name);
  }
  for (std::size_t i = 0; i < producer.arrays.size(); ++i) {
    const NameId parameter = producer.map.parameters[i].name;
    made_.erase(parameter);
    const auto element = row(level, producer.arrays[i]);
    if (!element) return std::nullopt;
    made_.insert_or_assign(parameter, *element);
  }
  return value(producer.map.body.results[result]);
}

// How `array` is read of an array outside, if it is and its places cost next to nothing.
std::optional<Index> SumNestBuilder::read_of(NameId array) {
  if (site_->element(array) != nullptr) {
    const auto row = value(array);
    return row && is_read_again(*row) ? std::optional(reads_.at(row->name())) : std::nullopt;
  }
  if (is_read_again(array)) return reads_.at(array);
  const Definition* source = site_->definition(array);
  if (source == nullptr || made_.count(array) != 0 || site_->is_kept(array)) return std::nullopt;
  const Statement& statement = *source->statement;
  const auto* index = as<Index>(statement.operation);
  if (index == nullptr || !statement.tokens.empty() || !site_->is_outside(index->array) ||
      !site_->is_outside(names_->type(array))) {
    return std::nullopt;
  }
  int budget = most_repeated_statements;
  Index read{index->array, {}};
  for (const Operand& each : index->indices) {
    if (each.is_name() && !is_repeatable(each.name(), budget)) return std::nullopt;
    const auto place = value(each);
    if (!place) return std::nullopt;
    read.indices.push_back(*place);
  }
  return read;
}

bool SumNestBuilder::is_read_again(const Operand& row) const {
  return row.is_name() && reads_.count(row.name()) != 0;
}

Operand SumNestBuilder::read_again(std::size_t level, NameId array, Index read) {
  const Type type = row_of(names_->type(array));
  const NameId element = names_->fresh(names_->base(array), type);
  read.indices.push_back(position(level));
  varying_.insert(element);
  if (type.is_scalar()) {
    repeated_.push_back(Statement{{{element}}, std::move(read)});
  } else {
    reads_.emplace(element, std::move(read));
  }
  return element;
}

Operand SumNestBuilder::position(std::size_t level) {
  if (const auto known = positions_.find(level); known != positions_.end()) return known->second;
  SumNest::Level& here = nest_.levels[level];
  const Type element{ScalarType::i64, {}};
  const NameId all = names_->fresh("positions", array_over(here.width, element));
  const NameId one = names_->fresh("position", element);
  nest_.levels[0].views.push_back(
      Statement{{{all}}, Iota{ScalarType::i64, here.width, i64_operand(0), i64_operand(1)}});
  here.arrays.push_back(all);
  here.parameters.push_back(Binder{one});
  return positions_.emplace(level, one).first->second;
}

// ---------------------------------------------------------------- statements

std::optional<Operand> SumNestBuilder::kept(NameId name) {
  const auto array = site_->keep(name);
  if (!array) return std::nullopt;
  const std::size_t level = site_->level(*site_->definition(name));
  Operand element = *array;
  varying_.insert(*array);
  for (std::size_t i = 1; i <= level; ++i) {
    const auto known = rows_[i].find(element.name());
    if (known != rows_[i].end()) {
      element = known->second;
      continue;
    }
    const NameId next =
        names_->fresh(names_->base(name), row_of(names_->type(element.name())));
    nest_.levels[i].arrays.push_back(element.name());
    nest_.levels[i].parameters.push_back(Binder{next});
    rows_[i].insert_or_assign(element.name(), next);
    varying_.insert(next);
    element = next;
  }
  return element;
}

// A copy of the statement in the core.
std::optional<Operand> SumNestBuilder::moved(NameId name, const Definition& definition) {
  const bool in_core = is_in_core(definition);
  auto copy = copied(*definition.statement);
  if (!copy) return std::nullopt;
  for (std::size_t i = 0; i < copy->results.size(); ++i) {
    made_.insert_or_assign(definition.statement->results[i].name, copy->results[i].name);
  }
  if (in_core) {
    moved_.push_back(Moved{definition.around, definition.statement, std::move(*copy)});
  } else {
    repeated_.push_back(std::move(*copy));
  }
  return made_.at(name);
}

std::optional<Statement> SumNestBuilder::copied(const Statement& statement) {
  for (const Binder& each : statement.results) {
    if (names_->type(each.name).kind != TypeKind::value) return std::nullopt;
  }
  Substitution used;
  for (const NameId name : free_names(statement, *names_)) {
    const auto made = value(name);
    if (!made || is_read_again(*made)) return std::nullopt;
    if (names_->type(name).is_array() && !made->is_name()) return std::nullopt;
    used.emplace(name, *made);
  }
  Statement copy = renamed(statement, *names_);
  for (Binder& each : copy.results) {
    const Type type = substitute(names_->type(each.name), used);
    each.name = names_->fresh(names_->base(each.name), type);
  }
  substitute(copy, used, *names_);
  return copy;
}

}  // namespace dagaz::passes::ad
