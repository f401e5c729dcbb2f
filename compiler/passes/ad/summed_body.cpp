#include "passes/ad/summed_body.h"

#include <algorithm>

#include "ir/cost.h"
#include "ir/fields.h"
#include "ir/value_count.h"
#include "passes/ad/consumption.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

bool is_scalar_work(const Body& body, const Names& names) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const Statement& each) {
    return evaluation_cost(each, names) != EvaluationCost::heavy;
  });
}

// The array that a view shows.
std::optional<NameId> viewed(const Operation& operation) {
  if (const auto* each = as<Index>(operation)) return each->array;
  if (const auto* each = as<Slice>(operation)) return each->array;
  if (const auto* each = as<Reshape>(operation)) return each->array;
  if (const auto* each = as<Permute>(operation)) return each->array;
  return std::nullopt;
}

}  // namespace

EvaluationCost evaluation_cost(const Statement& statement, const Names& names) {
  const auto cheap = [](bool is_so) {
    return is_so ? EvaluationCost::cheap : EvaluationCost::heavy;
  };
  return match(
      statement.operation,
      [](const Scalar& each) {
        return is_cheap(each.op) ? EvaluationCost::cheap : EvaluationCost::moderate;
      },
      [&](const Branch& each) {
        const bool scalar = is_scalar_work(each.then_body, names) &&
                            is_scalar_work(each.else_body, names);
        return scalar ? EvaluationCost::moderate : EvaluationCost::heavy;
      },
      [&](const Identity&) { return EvaluationCost::cheap; },
      [&](const Copy&) { return cheap(false); },
      // Views, numbers read from arrays, and ranges, which are computed where they are read.
      [](const Iota&) { return EvaluationCost::cheap; },
      [](const Index&) { return EvaluationCost::cheap; },
      [](const Slice&) { return EvaluationCost::cheap; },
      [](const Reshape&) { return EvaluationCost::cheap; },
      [](const Permute&) { return EvaluationCost::cheap; },
      // Whatever loops over something.
      [](const auto&) { return EvaluationCost::heavy; });
}

bool is_index_arithmetic(const Statement& statement) {
  const auto* scalar = as<Scalar>(statement.operation);
  if (scalar == nullptr) return false;
  switch (scalar->op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::slt:
    case ScalarOp::sle:
    case ScalarOp::ult:
    case ScalarOp::eq:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_not:
      return scalar->type == ScalarType::i64 || scalar->type == ScalarType::boolean;
    default: return false;
  }
}

bool is_mapped_result(const MapScanReduce& map, std::size_t result) {
  return map.scans.empty() && !map.post && result >= value_count(map.reductions);
}

// The result of the lambda, not of a reduction over it, that is `name`.
static std::optional<std::size_t> mapped_place(const MapScanReduce& map, NameId name) {
  const std::vector<Operand>& results = map.map.body.results;
  const auto first = results.begin() + static_cast<std::ptrdiff_t>(value_count(map.reductions));
  const auto found = std::find(first, results.end(), Operand(name));
  if (found == results.end()) return std::nullopt;
  return static_cast<std::size_t>(found - results.begin());
}

void SummedBody::set(const std::vector<Binder>& parameters, const std::vector<NameId>& arrays,
                    std::vector<Statement>& statements, const std::vector<Operand>& kept) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    elements_.emplace(parameters[i].name, Element{nullptr, arrays[i]});
  }
  enter(statements, nullptr);
  consumed_ = consumed_names(statements, *names_, *functions_);
  for (const Operand& each : kept) {
    if (!each.is_name()) continue;
    kept_.insert(each.name());
    mark_live(each.name());
  }
  for (const Statement& each : statements) {
    for (const Binder& result : each.results) {
      if (names_->type(result.name).kind == TypeKind::accumulator) mark_live(result.name);
    }
  }
}

void SummedBody::enter(std::vector<Statement>& statements, Statement* around) {
  for (Statement& each : statements) {
    for (std::size_t i = 0; i < each.results.size(); ++i) {
      definitions_.emplace(each.results[i].name, Definition{&each, i, around});
    }
    auto* map = as<MapScanReduce>(each.operation);
    if (map == nullptr || !map->scans.empty() || map->post) continue;
    for (std::size_t i = 0; i < map->arrays.size(); ++i) {
      elements_.emplace(map->map.parameters[i].name, Element{&each, map->arrays[i]});
    }
    enter(map->map.body.statements, &each);
  }
}

const SummedBody::Definition* SummedBody::definition(const Operand& operand) const {
  if (!operand.is_name()) return nullptr;
  const auto found = definitions_.find(operand.name());
  return found == definitions_.end() ? nullptr : &found->second;
}

const SummedBody::Element* SummedBody::element(NameId name) const {
  const auto found = elements_.find(name);
  return found == elements_.end() ? nullptr : &found->second;
}

bool SummedBody::is_outside(const Operand& operand) const {
  return operand.is_constant() || (definitions_.count(operand.name()) == 0 &&
                                   elements_.count(operand.name()) == 0);
}

bool SummedBody::is_outside(const Type& type) const {
  return std::all_of(type.shape.begin(), type.shape.end(),
                     [&](const Operand& size) { return is_outside(size); });
}

std::size_t SummedBody::level(const Definition& definition) const {
  std::size_t level = 0;
  for (const Statement* around = definition.around; around != nullptr; ++level) {
    around = definitions_.at(around->results.front().name).around;
  }
  return level;
}

// ---------------------------------------------------------------- what is evaluated anyway

void SummedBody::mark_live(NameId name) {
  if (!live_.insert(name).second) return;
  if (const Element* parameter = element(name)) {
    mark_live(parameter->array);
    return;
  }
  const Definition* source = definition(name);
  if (source == nullptr) return;
  const auto* map = as<MapScanReduce>(source->statement->operation);
  if (map != nullptr && map->scans.empty() && !map->post) {
    if (map->width.is_name()) mark_live(map->width.name());
    const bool mapped = is_mapped_result(*map, source->result);
    const std::size_t first = mapped ? source->result : 0;
    const std::size_t last = mapped ? first + 1 : value_count(map->reductions);
    for (std::size_t i = first; i < last; ++i) {
      const Operand& row = map->map.body.results[i];
      if (row.is_name()) mark_live(row.name());
    }
    for (std::size_t i = 0; i < map->reductions.size() && !mapped; ++i) {
      for (const NameId used : free_names(map->reductions[i].op, *names_)) mark_live(used);
      for (const Operand& neutral : map->reductions[i].neutral) {
        if (neutral.is_name()) mark_live(neutral.name());
      }
    }
    return;
  }
  for (const NameId used : free_names(*source->statement, *names_)) mark_live(used);
}

bool SummedBody::is_kept(NameId name) const {
  const Definition* source = definition(name);
  if (source == nullptr) return false;
  while (source->around != nullptr) {
    const auto place = mapped_place(std::get<MapScanReduce>(source->around->operation), name);
    if (!place) return false;
    name = source->around->results[*place].name;
    source = definition(name);
  }
  return kept_.count(name) != 0;
}

// Whether the value has one shape in all places, and stays what it is to the end of its scope.
bool SummedBody::may_be_kept(const Definition& definition, NameId name) const {
  const Type& type = names_->type(name);
  if (type.kind != TypeKind::value || !is_outside(type)) return false;
  const Statement* around = definition.around;
  while (around != nullptr) {
    if (!is_outside(std::get<MapScanReduce>(around->operation).width)) return false;
    around = definitions_.at(around->results.front().name).around;
  }
  for (std::optional<NameId> shown = name; shown;) {
    if (consumed_.count(*shown) != 0) return false;
    const Definition* source = this->definition(*shown);
    if (source == nullptr) break;
    shown = viewed(source->statement->operation);
  }
  return true;
}

std::optional<NameId> SummedBody::keep(NameId name) {
  const Definition* source = definition(name);
  if (source == nullptr || !may_be_kept(*source, name)) return std::nullopt;
  while (source->around != nullptr) {
    Statement& around = *source->around;
    auto& map = std::get<MapScanReduce>(around.operation);
    auto place = mapped_place(map, name);
    if (!place) {
      const Type row = names_->type(name);
      place = map.map.body.results.size();
      map.map.body.results.push_back(name);
      map.map.result_types.push_back(row);
      const NameId array = names_->fresh(names_->base(name), array_over(map.width, row));
      const Definition outer{&around, *place,
                             definitions_.at(around.results.front().name).around};
      around.results.push_back(Binder{array});
      definitions_.emplace(array, outer);
    }
    name = around.results[*place].name;
    source = definition(name);
  }
  kept_.insert(name);
  mark_live(name);
  return name;
}

}  // namespace dagaz::passes::ad
