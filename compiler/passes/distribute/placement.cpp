#include "passes/distribute/placement.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "ir/traces.h"
#include "ir/value_count.h"
#include "passes/distribute/collectives.h"
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
  if (const auto* scatter = as<ir::SegmentedScatter>(operation)) return &scatter->space;
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
  const auto* space = space_of(operation);
  if (const ir::MapScanReduce* sum = inner_sum(operation, dimension)) {
    return {{}, sum, sum->width, space};
  }
  return {(*space)[dimension].index.name, nullptr, (*space)[dimension].extent, space};
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
  if (as<ir::SegmentedScan>(statement.operation) || as<ir::SegmentedScatter>(statement.operation)) {
    return {{0, last == 0}};
  }
  if (last == 0) return {{0, true}};
  const auto* reduce = as<ir::SegmentedReduce>(statement.operation);
  if (reduce != nullptr) {
    // Mapped values would be split along an inner dimension.
    if (ir::value_count(reduce->operators) < statement.results.size()) return {{0}};
  }
  return {{0}, {last, true}};
}

static bool is_destination(const ir::Statement& statement, NameId array) {
  const std::vector<Target> targets = targets_of(statement.operation);
  return std::any_of(targets.begin(), targets.end(), [&](const Target& one) {
    return std::find(one.destinations.begin(), one.destinations.end(), array) !=
           one.destinations.end();
  });
}

// Whether what ranks would combine has all the dimensions of a split array that is read: then that
// array is better sent, to be read in another way.
bool Placer::combines_more(const ir::Statement& statement, const Share& share,
                           const Reads& reads) const {
  const std::size_t count = combined_results(statement, share);
  return std::any_of(reads.begin(), reads.end(), [&](const auto& read) {
    if (!placement_.split.contains(read.first)) return false;
    std::vector<Operand> sent = names_.type(read.first).shape;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<Operand> left = sent;
      for (const Operand& size : names_.type(statement.results[k].name).shape) {
        const auto found = std::find(left.begin(), left.end(), size);
        if (found != left.end()) left.erase(found);
      }
      if (left.empty()) return true;
    }
    return false;
  });
}

// The first of those for which least has to be gathered.
std::optional<Share> Placer::way(const ir::Statement& statement) {
  if (statement.results.empty() || choice_->unshared.contains(statement.results[0].name)) {
    return std::nullopt;
  }
  // Who writes last to a place, all know only where its row is.
  const auto* scatter = as<ir::SegmentedScatter>(statement.operation);
  if (scatter != nullptr && scatter->space.size() == 1 && !delivers(statement)) return std::nullopt;
  std::optional<Share> best;
  std::ptrdiff_t least = 0;
  for (const Share& one : ways(statement)) {
    const Operand& extent = extent_of(statement.operation, one);
    if (!is_chosen(extent)) continue;
    const Reads& reads = reads_of(statement, one.dimension);
    auto count = std::count_if(reads.begin(), reads.end(), [&](const auto& read) {
      return placement_.split.contains(read.first) && !reads_rows(read, extent) &&
             !reads_window(read, extent);
    });
    if (combines_more(statement, one, reads)) count += static_cast<std::ptrdiff_t>(reads.size());
    if (!best || count < least) {
      best = one;
      least = count;
    }
  }
  return best;
}

// Whether an array that is split by `extent` is read at the row of each point alone.
bool Placer::reads_rows(const std::pair<const NameId, ArrayReads>& read,
                        const Operand& extent) const {
  const Positions& positions = read.second.positions;
  const auto dimension = placement_.split_at(read.first, extent);
  return dimension && std::find(positions.begin(), positions.end(), *dimension) != positions.end();
}

// Whether points over `extent` read an array that is split, also by another extent, through a
// window.
bool Placer::reads_window(const std::pair<const NameId, ArrayReads>& read,
                          const Operand& extent) const {
  const auto split = placement_.split.find(read.first);
  const auto& window = read.second.window;
  return window && split != placement_.split.end() && split->second.dimension == 0 &&
         (!window->wraps || split->second.extent == extent);
}

// What ranks turn a split array to where points over `extent` read it at their own element of
// another dimension.
std::optional<Split> Placer::turn(const std::pair<const NameId, ArrayReads>& read,
                                  const Operand& extent) const {
  const auto split = placement_.split.find(read.first);
  if (split == placement_.split.end()) return std::nullopt;
  const std::vector<Operand>& shape = names_.type(read.first).shape;
  for (const std::size_t position : read.second.positions) {
    if (position != split->second.dimension && shape[position] == extent) {
      return Split{extent, position};
    }
  }
  return std::nullopt;
}

// What an array is turned to serves its permuted views, and goes with what is made beside it.
void Placer::add_turn(NameId array, Split split) {
  for (auto order = orders_.find(array); order != orders_.end(); order = orders_.find(array)) {
    split.dimension = static_cast<std::size_t>(order->second[split.dimension]);
    array = views_.at(array);
  }
  std::vector<Split>& all = placement_.turned[array];
  if (std::find(all.begin(), all.end(), split) == all.end()) all.push_back(split);
}

void Placer::add_window(NameId array, const Operand& points, const Window& window) {
  std::vector<WindowOver>& all = placement_.windows[array];
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const WindowOver& one) { return one.points == points; });
  if (found == all.end()) {
    all.push_back({points, window});
  } else {
    found->window.include(window);
  }
}

const WindowOver* Placement::window_of(NameId array, const Operand& points) const {
  const auto found = windows.find(array);
  if (found == windows.end() || gathered.contains(array)) return nullptr;
  for (const WindowOver& one : found->second) {
    if (one.points == points) return &one;
  }
  return nullptr;
}

const Request* Placement::request_of(NameId answers) const {
  const auto found = requests.find(answers);
  return found == requests.end() || gathered.contains(found->second.array) ? nullptr
                                                                           : &found->second;
}

bool may_fail(const ir::Operation& operation, const Definitions& definitions) {
  if (const auto* check = as<ir::Assert>(operation)) {
    return !check->condition.is_name() || !definitions.hold.contains(check->condition.name());
  }
  bool found = as<ir::Call>(operation) != nullptr;
  ir::for_each_scope(operation, [&](const ir::Body& body) {
    found = found || std::any_of(body.statements.begin(), body.statements.end(),
                                 [&](const ir::Statement& one) {
                                   return may_fail(one.operation, definitions);
                                 });
  });
  return found;
}

std::size_t combined_results(const ir::Statement& statement, const Share& share) {
  if (!share.reduces) return 0;
  const bool are_all = as<ir::SegmentedHistogram>(statement.operation) ||
                       inner_sum(statement.operation, share.dimension) != nullptr;
  if (are_all) return statement.results.size();
  const auto* reduce = as<ir::SegmentedReduce>(statement.operation);
  return reduce == nullptr ? 0 : ir::value_count(reduce->operators);
}

Placement Placer::place(const Choice& choice) {
  choice_ = &choice;
  placement_ = {};
  views_.clear();
  orders_.clear();
  for (const ir::Statement& one : function_.body.statements) place(one);
  for (const Operand& result : function_.body.results) leave(result);
  return std::move(placement_);
}

// A result is split where both bodies leave it so.
void Placer::place(const ir::Branch& branch, const std::vector<ir::Binder>& results) {
  for (const ir::Statement& one : branch.then_body.statements) place(one);
  for (const ir::Statement& one : branch.else_body.statements) place(one);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Operand& yes = branch.then_body.results[k];
    const Operand& no = branch.else_body.results[k];
    const auto split =
        yes.is_name() ? placement_.split.find(yes.name()) : placement_.split.end();
    const bool keeps = split != placement_.split.end() && is_split(no, split->second) &&
                       names_.type(results[k].name).shape[split->second.dimension] ==
                           split->second.extent;
    if (keeps) {
      placement_.split.insert_or_assign(results[k].name, Split(split->second));
    } else {
      need(yes);
      need(no);
    }
  }
}

// Whether everybody has all of it, or of what it is a view of.
bool Placer::is_gathered(NameId array) const {
  if (placement_.gathered.contains(array)) return true;
  const auto view = views_.find(array);
  return view != views_.end() && is_gathered(view->second);
}

// A result stays with the ranks that have its rows; what is gathered is not turned besides.
void Placer::leave(const Operand& result) {
  const auto split =
      result.is_name() ? placement_.split.find(result.name()) : placement_.split.end();
  if (split == placement_.split.end()) return;
  const bool is_there = split->second.dimension != 0 && is_gathered(result.name());
  if (results_ == Results::for_program || is_there) return need(result);
  placement_.left.insert(result.name());
  if (split->second.dimension != 0) {
    add_turn(result.name(), {names_.type(result.name()).shape.front(), 0});
  }
}

void Placer::place(const ir::Statement& statement) {
  if (const auto chosen = way(statement)) return share(statement, *chosen);
  const auto* with = as<ir::WithAccumulator>(statement.operation);
  if (with != nullptr && shares_additions(*with)) {
    placement_.accumulations.insert(statement.results[0].name);
    place(*with, statement.results);
  } else if (const auto* branch = as<ir::Branch>(statement.operation)) {
    place(*branch, statement.results);
  } else if (const auto* loop = as<ir::Loop>(statement.operation)) {
    place(*loop, statement.results);
  } else if (statement.results.empty() ||
             !place_view(statement.operation, statement.results[0].name)) {
    need_all(statement);
  }
}

// Views of what each rank has, and arrays in whose place it writes.
bool Placer::place_view(const ir::Operation& operation, NameId result) {
  if (const auto* permute = as<ir::Permute>(operation)) return place(*permute, result);
  if (const auto* read = as<ir::Index>(operation)) return place(*read, result);
  if (const auto* update = as<ir::Update>(operation)) return place(*update, result);
  return false;
}

void Placer::add_view(NameId result, NameId array, Split split) {
  placement_.split.insert_or_assign(result, std::move(split));
  views_.insert_or_assign(result, array);
}

// Each rank permutes the dimensions of what it has.
bool Placer::place(const ir::Permute& permute, NameId result) {
  const auto found = placement_.split.find(permute.array);
  if (found == placement_.split.end()) return false;
  const std::vector<int>& order = permute.permutation;
  const auto at = std::find(order.begin(), order.end(), static_cast<int>(found->second.dimension));
  add_view(result, permute.array,
           {found->second.extent, static_cast<std::size_t>(at - order.begin())});
  orders_.insert_or_assign(result, order);
  return true;
}

// What a loop has saved of one of its steps.
bool Placer::place(const ir::Index& read, NameId result) {
  const auto found = placement_.split.find(read.array);
  const std::size_t outer = read.indices.size();
  if (found == placement_.split.end() || found->second.dimension < outer) return false;
  add_view(result, read.array, {found->second.extent, found->second.dimension - outer});
  return true;
}

// Each rank writes its rows of the value into its rows of the array.
bool Placer::place(const ir::Update& update, NameId result) {
  const auto found = placement_.split.find(update.array);
  if (found == placement_.split.end() || !update.value.is_name()) return false;
  const Split split = found->second;
  const auto position = rows_of_value(update, split);
  const NameId value = update.value.name();
  if (!position || placement_.gathered.contains(update.array)) return false;
  if (placement_.split_at(value, split.extent) != position) need(value);
  placement_.split.insert_or_assign(result, split);
  return true;
}

std::optional<std::size_t> rows_of_value(const ir::Update& update, const Split& split) {
  const ir::SliceDimension& rows = update.dimensions[split.dimension];
  if (rows.fixed || rows.start != ir::i64_operand(0) || rows.count != split.extent ||
      rows.stride != ir::i64_operand(1)) {
    return std::nullopt;
  }
  const auto end = update.dimensions.begin() + static_cast<std::ptrdiff_t>(split.dimension);
  const auto fixed = std::count_if(update.dimensions.begin(), end,
                                   [](const ir::SliceDimension& one) { return one.fixed; });
  return split.dimension - static_cast<std::size_t>(fixed);
}

// The ways in which a loop value may be split: by an extent that stays the same.
std::vector<Split> Placer::splits_of_state(const ir::Loop& loop, std::size_t k,
                                           NameId result) const {
  std::vector<Split> all;
  const ir::Type& type = names_.type(loop.values[k].parameter.name);
  if (!type.is_array()) return all;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const Operand& extent = type.shape[d];
    const bool changes = std::any_of(
        loop.values.begin(), loop.values.end(),
        [&](const ir::LoopValue& value) { return extent == Operand(value.parameter.name); });
    if (is_chosen(extent) && !changes && names_.type(result).shape[d] == extent)
      all.push_back({extent, d});
  }
  return all;
}

bool Placer::is_split(const Operand& operand, const Split& split) const {
  return operand.is_name() && placement_.split_at(operand.name(), split.extent) == split.dimension;
}

// State is split if a step that finds it so leaves it so: assumed of all, and taken back where it
// does not hold, until it does.
void Placer::place(const ir::Loop& loop, const std::vector<ir::Binder>& results) {
  std::vector<std::vector<Split>> splits;  // the first of each is assumed
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    splits.push_back(splits_of_state(loop, k, results[k].name));
  }
  const Placement before = placement_;
  for (bool holds = false; !holds;) {
    placement_ = before;
    for (std::size_t k = 0; k < splits.size(); ++k) {
      const ir::LoopValue& value = loop.values[k];
      if (!splits[k].empty()) placement_.split.emplace(value.parameter.name, splits[k].front());
      if (splits[k].empty() || !is_split(value.initial, splits[k].front())) need(value.initial);
    }
    for (const ir::Statement& one : loop.body.statements) place(one);
    holds = true;
    for (std::size_t k = 0; k < splits.size(); ++k) {
      const Operand& next = loop.body.results[k];
      if (splits[k].empty()) {
        need(next);
      } else if (!is_split(next, splits[k].front())) {
        splits[k].erase(splits[k].begin());
        holds = false;
      }
    }
  }
  for (std::size_t k = 0; k < splits.size(); ++k) {
    if (!splits[k].empty()) placement_.split.emplace(results[k].name, splits[k].front());
  }
}

// By what ranks add: an operation that they know, on elements or whole rows of them.
static bool is_addition(const ir::AccumulatorInput& input) {
  return input.op && known_operation(*input.op) == ir::ScalarOp::add;
}

// What is added must be shared altogether: what every rank adds would count several times.
bool Placer::shares_additions(const ir::WithAccumulator& with) {
  const bool have_operators =
      std::all_of(with.inputs.begin(), with.inputs.end(),
                  [](const ir::AccumulatorInput& input) { return input.op.has_value(); });
  bool any = false;
  for (const ir::Statement& one : with.body.body.statements) {
    const bool is_addition = adds(one);
    if (is_addition && !way(one)) return false;
    any = any || is_addition;
  }
  return have_operators && any;
}

bool Placer::adds(const ir::Statement& statement) const {
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const ir::Binder& result) {
                       return names_.type(result.name).kind == ir::TypeKind::accumulator;
                     });
}

// The window that all additions to an input are in, over one extent.
std::optional<WindowOver> Placer::added_window(const ir::WithAccumulator& with, std::size_t input,
                                               const Accumulators& accumulators) {
  const std::vector<Operand>& shape = with.inputs[input].shape;
  if (!is_chosen(shape.front()) || !is_addition(with.inputs[input])) return std::nullopt;
  std::optional<WindowOver> found;
  for (const ir::Statement& one : with.body.body.statements) {
    const auto share = adds(one) ? way(one) : std::nullopt;
    if (!share) continue;
    auto& known = additions_[one.results[0].name];
    auto at = known.find(share->dimension);
    if (at == known.end()) {
      const SharedIndex index = index_of(one.operation, share->dimension);
      at = known
               .emplace(share->dimension, additions_of(one.operation, index, definitions_,
                                                       accumulators, with.inputs.size()))
               .first;
    }
    if (!at->second.adds[input]) continue;
    const auto& window = at->second.windows[input];
    const Operand& points = extent_of(one.operation, *share);
    if (!window || (window->wraps && points != shape.front())) return std::nullopt;
    if (!found) {
      found = WindowOver{points, *window};
    } else if (found->points == points) {
      found->window.include(*window);
    } else {
      return std::nullopt;
    }
  }
  return found;
}

void Placer::place(const ir::WithAccumulator& with, const std::vector<ir::Binder>& results) {
  const NameId first = results.front().name;
  auto known = accumulators_.find(first);
  if (known == accumulators_.end()) {
    known = accumulators_.emplace(first, accumulators_of(with, names_)).first;
  }
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const ir::AccumulatorInput& input = with.inputs[k];
    const auto window = known->second ? added_window(with, k, *known->second) : std::nullopt;
    const Operand& extent = input.shape.front();
    const NameId result = results[k].name;
    std::vector<Brought> brought;
    if (!window && known->second && is_chosen(extent) && choice_->delivered.contains(result)) {
      brought = brought_to(input, k, notes(with, first, *known->second));
    }
    if (window) {
      placement_.added.insert_or_assign(result, *window);
    } else if (!brought.empty()) {
      placement_.delivered.insert_or_assign(result, std::move(brought));
    } else {
      need(input.array);
      continue;
    }
    need_rows(input.array, extent);
    placement_.split.insert_or_assign(result, Split{extent});
  }
  const ir::Body& body = with.body.body;
  for (const ir::Statement& one : body.statements) place(one);
  for (std::size_t k = with.inputs.size(); k < body.results.size(); ++k) {
    const Operand& result = body.results[k];
    const auto split =
        result.is_name() ? placement_.split.find(result.name()) : placement_.split.end();
    if (split != placement_.split.end() && split->second.dimension == 0) {
      placement_.split.insert_or_assign(results[k].name, Split{split->second.extent});
    } else {
      need(result);
    }
  }
}

// Whether the rows that the statement reads of the array are asked for.
bool Placer::asks(const ir::Statement& statement, NameId array) const {
  const NameId answers = statement.results[0].name;
  const auto request = requests_.find(answers);
  return request != requests_.end() && request->second.array == array &&
         !choice_->unasked.contains(answers) &&
         placement_.has_rows(array, names_.type(array).shape.front());
}

void Placer::share(const ir::Statement& statement, const Share& share) {
  placement_.shares.emplace(statement.results[0].name, share);
  const Operand& extent = extent_of(statement.operation, share);
  const bool is_delivered = delivers(statement);
  for (const auto& read : reads_of(statement, share.dimension)) {
    if (reads_rows(read, extent) || (is_delivered && is_destination(statement, read.first)))
      continue;
    if (asks(statement, read.first)) {
      const NameId answers = statement.results[0].name;
      placement_.requests.emplace(answers, requests_.at(answers));
    } else if (reads_window(read, extent)) {
      add_window(read.first, extent, *read.second.window);
    } else if (const auto turned = turn(read, extent)) {
      add_turn(read.first, *turned);
    } else {
      need(read.first);
    }
  }
  if (is_delivered) return share_deliveries(statement);
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

const Reads& Placer::reads_of(const ir::Statement& statement, std::size_t dimension) {
  auto& known = reads_[statement.results[0].name];
  const auto found = known.find(dimension);
  if (found != known.end()) return found->second;
  const SharedIndex index = index_of(statement.operation, dimension);
  return known.emplace(dimension, reads_at(statement.operation, index, definitions_, names_))
      .first->second;
}

}  // namespace dagaz::passes::distributing
