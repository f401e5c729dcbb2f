#include "passes/distribute/placement.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/traces.h"
#include "passes/distribute/inner_sums.h"
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

namespace {

const ir::MapScanReduce* inner_sum(const ir::Operation& operation, std::size_t dimension) {
  const auto* map = as<ir::SegmentedMap>(operation);
  return map != nullptr && dimension == map->space.size() ? sum_of(*map) : nullptr;
}

}  // namespace

const Operand& extent_of(const ir::Operation& operation, const Share& share) {
  const ir::MapScanReduce* sum = inner_sum(operation, share.dimension);
  return sum != nullptr ? sum->width : (*space_of(operation))[share.dimension].extent;
}

SharedIndex index_of(const ir::Operation& operation, std::size_t dimension) {
  if (const ir::MapScanReduce* sum = inner_sum(operation, dimension)) return {{}, sum};
  return {(*space_of(operation))[dimension].index.name};
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
  if (const auto* map = as<ir::SegmentedMap>(statement.operation)) {
    if (sum_of(*map) == nullptr) return {{0}};
    return {{0}, {space->size(), true}};
  }
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

// The first of those for which least has to be gathered.
std::optional<Share> Placer::way(const ir::Statement& statement) {
  if (statement.results.empty() || choice_->unshared.contains(statement.results[0].name)) {
    return std::nullopt;
  }
  const std::vector<Operand>& chosen = choice_->extents;
  std::optional<Share> best;
  std::ptrdiff_t least = 0;
  for (const Share& one : ways(statement)) {
    const Operand& extent = extent_of(statement.operation, one);
    if (std::find(chosen.begin(), chosen.end(), extent) == chosen.end()) continue;
    const Reads& reads = reads_of(statement, one.dimension);
    const auto count = std::count_if(reads.begin(), reads.end(), [&](const auto& read) {
      return placement_.split.contains(read.first) && !reads_rows(read, extent);
    });
    if (!best || count < least) {
      best = one;
      least = count;
    }
  }
  return best;
}

// Whether an array that is split by `extent` is read at the row of each point alone.
bool Placer::reads_rows(const std::pair<const NameId, Positions>& read,
                        const Operand& extent) const {
  const auto& [array, positions] = read;
  const auto dimension = placement_.split_at(array, extent);
  return dimension && std::find(positions.begin(), positions.end(), *dimension) != positions.end();
}

bool may_fail(const ir::Operation& operation) {
  bool found = as<ir::Assert>(operation) || as<ir::Call>(operation);
  ir::for_each_scope(operation, [&](const ir::Body& body) {
    found = found || std::any_of(body.statements.begin(), body.statements.end(),
                                 [](const ir::Statement& one) { return may_fail(one.operation); });
  });
  return found;
}

std::size_t combined_results(const ir::Statement& statement, const Share& share) {
  if (!share.reduces) return 0;
  const bool are_all = as<ir::SegmentedHistogram>(statement.operation) ||
                       inner_sum(statement.operation, share.dimension) != nullptr;
  if (are_all) return statement.results.size();
  const auto* reduce = as<ir::SegmentedReduce>(statement.operation);
  std::size_t count = 0;
  if (reduce == nullptr) return count;
  for (const ir::ReduceOperator& one : reduce->operators) count += one.neutral.size();
  return count;
}

Placement Placer::place(const Choice& choice) {
  choice_ = &choice;
  placement_ = {};
  views_.clear();
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
    place(*loop, statement.results);
  } else if (const auto* permute = as<ir::Permute>(statement.operation);
             permute == nullptr || !place(*permute, statement.results[0].name)) {
    need_all(statement);
  }
}

// Each rank permutes the dimensions of what it has.
bool Placer::place(const ir::Permute& permute, NameId result) {
  const auto found = placement_.split.find(permute.array);
  if (found == placement_.split.end()) return false;
  const std::vector<int>& order = permute.permutation;
  const auto at = std::find(order.begin(), order.end(), static_cast<int>(found->second.dimension));
  const Split split{found->second.extent, static_cast<std::size_t>(at - order.begin())};
  placement_.split.insert_or_assign(result, split);
  views_.insert_or_assign(result, permute.array);
  return true;
}

// The extent by which a loop value may be split: one that stays the same.
std::optional<Operand> Placer::extent_of_state(const ir::Loop& loop, std::size_t k,
                                               NameId result) const {
  const ir::Type& type = names_.type(loop.values[k].parameter.name);
  if (!type.is_array() || names_.type(result).shape.front() != type.shape.front()) {
    return std::nullopt;
  }
  const Operand& extent = type.shape.front();
  const bool changes = std::any_of(
      loop.values.begin(), loop.values.end(),
      [&](const ir::LoopValue& value) { return extent == Operand(value.parameter.name); });
  const std::vector<Operand>& chosen = choice_->extents;
  const bool is_chosen = std::find(chosen.begin(), chosen.end(), extent) != chosen.end();
  return is_chosen && !changes ? std::optional(extent) : std::nullopt;
}

// State is split if a step that finds it so leaves it so: assumed of all, and taken back where it
// does not hold, until it does.
void Placer::place(const ir::Loop& loop, const std::vector<ir::Binder>& results) {
  std::vector<std::optional<Operand>> extents;
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    extents.push_back(extent_of_state(loop, k, results[k].name));
  }
  const Placement before = placement_;
  for (bool holds = false; !holds;) {
    placement_ = before;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const ir::LoopValue& value = loop.values[k];
      if (extents[k]) placement_.split.emplace(value.parameter.name, Split{*extents[k]});
      const bool is_given_so = extents[k] && value.initial.is_name() &&
                               placement_.has_rows(value.initial.name(), *extents[k]);
      if (!is_given_so) need(value.initial);
    }
    for (const ir::Statement& one : loop.body.statements) place(one);
    holds = true;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const Operand& next = loop.body.results[k];
      if (!extents[k]) {
        need(next);
      } else if (!next.is_name() || !placement_.has_rows(next.name(), *extents[k])) {
        extents[k].reset();
        holds = false;
      }
    }
  }
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (extents[k]) placement_.split.emplace(results[k].name, Split{*extents[k]});
  }
}

// What is added must be shared altogether: what every rank adds would count several times.
bool Placer::shares_additions(const ir::WithAccumulator& with) {
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
  for (const auto& read : reads_of(statement, share.dimension)) {
    if (!reads_rows(read, extent)) need(read.first);
  }
  for (std::size_t k = combined_results(statement, share); k < statement.results.size(); ++k) {
    const NameId result = statement.results[k].name;
    if (names_.type(result).is_array()) placement_.split.emplace(result, Split{extent});
  }
}

void Placer::need(const Operand& operand) {
  if (!operand.is_name() || !placement_.split.contains(operand.name())) return;
  placement_.gathered.insert(operand.name());
  const auto view = views_.find(operand.name());
  if (view != views_.end()) need(view->second);
}

void Placer::need_all(const ir::Statement& statement) {
  if (placement_.split.empty()) return;
  for (const NameId name : ir::free_names(statement, names_)) need(name);
}

const Placer::Reads& Placer::reads_of(const ir::Statement& statement, std::size_t dimension) {
  auto& known = reads_[statement.results[0].name];
  const auto found = known.find(dimension);
  if (found != known.end()) return found->second;
  const SharedIndex index = index_of(statement.operation, dimension);
  return known.emplace(dimension, reads_at(statement.operation, index, names_)).first->second;
}

}  // namespace dagaz::passes::distributing
