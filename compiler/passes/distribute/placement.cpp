#include "passes/distribute/placement.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/traces.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

const std::vector<ir::SpaceDimension>* space_of(const ir::Operation& operation) {
  if (const auto* map = as<ir::SegmentedMap>(operation)) return &map->space;
  if (const auto* reduce = as<ir::SegmentedReduce>(operation)) return &reduce->space;
  if (const auto* scan = as<ir::SegmentedScan>(operation)) return &scan->space;
  if (const auto* histogram = as<ir::SegmentedHistogram>(operation)) return &histogram->space;
  return nullptr;
}

const Operand& extent_of(const ir::Operation& operation, const Share& share) {
  return (*space_of(operation))[share.dimension].extent;
}

std::vector<Share> Placer::ways(const ir::Statement& statement) const {
  const std::vector<ir::SpaceDimension>* space = space_of(statement.operation);
  if (space == nullptr || space->empty() || statement.results.empty() ||
      ir::has_trace(statement.operation)) {
    return {};
  }
  const auto accumulates = [&](const ir::Binder& result) {
    return names_.type(result.name).kind == ir::TypeKind::accumulator;
  };
  const auto last = space->size() - 1;
  const auto count = std::count_if(statement.results.begin(), statement.results.end(), accumulates);
  if (as<ir::SegmentedMap>(statement.operation) && count > 0) {
    // Additions are made once, whoever makes them.
    std::vector<Share> all{{0, true}};
    const bool only_adds = static_cast<std::size_t>(count) == statement.results.size();
    for (std::size_t k = 1; only_adds && k <= last; ++k) all.push_back({k, true});
    return all;
  }
  if (count > 0) return {};
  if (as<ir::SegmentedMap>(statement.operation)) return {{0}};
  if (as<ir::SegmentedScan>(statement.operation)) return {{0, last == 0}};
  if (last == 0) return {{0, true}};
  const auto* reduce = as<ir::SegmentedReduce>(statement.operation);
  std::size_t reduced = 0;
  if (reduce != nullptr) {
    for (const ir::ReduceOperator& one : reduce->operators) reduced += one.neutral.size();
    // Mapped values would be split along an inner dimension.
    if (reduced < statement.results.size()) return {{0}};
  }
  return {{0}, {last, true}};
}

std::optional<Share> Placer::way(const ir::Statement& statement) const {
  if (statement.results.empty() || choice_->unshared.contains(statement.results[0].name)) {
    return std::nullopt;
  }
  const std::vector<Operand>& chosen = choice_->extents;
  for (const Share& one : ways(statement)) {
    const Operand& extent = extent_of(statement.operation, one);
    if (std::find(chosen.begin(), chosen.end(), extent) != chosen.end()) return one;
  }
  return std::nullopt;
}

std::size_t combined_results(const ir::Statement& statement, const Share& share) {
  if (!share.reduces) return 0;
  if (as<ir::SegmentedHistogram>(statement.operation)) return statement.results.size();
  const auto* reduce = as<ir::SegmentedReduce>(statement.operation);
  std::size_t count = 0;
  if (reduce == nullptr) return count;
  for (const ir::ReduceOperator& one : reduce->operators) count += one.neutral.size();
  return count;
}

Placement Placer::place(const Choice& choice) {
  choice_ = &choice;
  placement_ = {};
  place(function_.body);
  return std::move(placement_);
}

void Placer::place(const ir::Body& body) {
  for (const ir::Statement& one : body.statements) place(one);
  for (const Operand& result : body.results) need(result);
}

void Placer::place(const ir::Statement& statement) {
  if (const auto chosen = way(statement)) return share(statement, *chosen);
  const auto* with = as<ir::WithAccumulator>(statement.operation);
  if (with != nullptr && shares_additions(*with)) {
    placement_.accumulations.insert(statement.results[0].name);
    for (const ir::AccumulatorInput& input : with->inputs) need(input.array);
    place(with->body.body);
  } else if (const auto* branch = as<ir::Branch>(statement.operation)) {
    place(branch->then_body);
    place(branch->else_body);
  } else if (const auto* loop = as<ir::Loop>(statement.operation)) {
    for (const ir::LoopValue& value : loop->values) need(value.initial);
    place(loop->body);
  } else {
    need_all(statement);
  }
}

// What is added must be shared altogether: what every rank adds would count several times.
bool Placer::shares_additions(const ir::WithAccumulator& with) const {
  const bool have_operators =
      std::all_of(with.inputs.begin(), with.inputs.end(),
                  [](const ir::AccumulatorInput& input) { return input.op.has_value(); });
  bool any = false;
  for (const ir::Statement& one : with.body.body.statements) {
    const bool adds =
        std::any_of(one.results.begin(), one.results.end(), [&](const ir::Binder& result) {
          return names_.type(result.name).kind == ir::TypeKind::accumulator;
        });
    if (adds && !way(one)) return false;
    any = any || adds;
  }
  return have_operators && any;
}

void Placer::share(const ir::Statement& statement, const Share& share) {
  placement_.shares.emplace(statement.results[0].name, share);
  const Operand& extent = extent_of(statement.operation, share);
  for (const auto& [array, positions] : reads_of(statement, share.dimension)) {
    const bool by_rows = !positions.empty() && positions.front() == 0;
    if (!by_rows || !placement_.is_split(array, extent)) need(array);
  }
  for (std::size_t k = combined_results(statement, share); k < statement.results.size(); ++k) {
    const NameId result = statement.results[k].name;
    if (names_.type(result).is_array()) placement_.split.emplace(result, extent);
  }
}

void Placer::need(const Operand& operand) {
  if (operand.is_name() && placement_.split.contains(operand.name())) {
    placement_.gathered.insert(operand.name());
  }
}

void Placer::need_all(const ir::Statement& statement) {
  if (placement_.split.empty()) return;
  for (const NameId name : ir::free_names(statement, names_)) need(name);
}

const Placer::Reads& Placer::reads_of(const ir::Statement& statement, std::size_t dimension) {
  auto& known = reads_[statement.results[0].name];
  const auto found = known.find(dimension);
  if (found != known.end()) return found->second;
  const NameId index = (*space_of(statement.operation))[dimension].index.name;
  return known.emplace(dimension, reads_at(statement.operation, index, names_)).first->second;
}

}  // namespace dagaz::passes::distributing
