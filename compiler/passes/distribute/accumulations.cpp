// What is added to arrays: histograms and accumulators.  Each rank adds what its rows have, one of
// them to what the arrays hold, the others to neutral elements; then all are combined.
#include <iterator>
#include <utility>

#include "ir/names.h"
#include "passes/distribute/rewrite.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// What all elements of an array are, if it was made so.
Operand Rewriter::element_of(Operand value) const {
  while (value.is_name()) {
    const auto found = replicated_.find(value.name());
    if (found == replicated_.end()) break;
    value = found->second;
  }
  return value;
}

NameId Rewriter::start(NameId array, std::size_t outer, const Operand& neutral, ir::Builder& out) {
  if (element_of(array) == element_of(neutral)) return array;
  const std::vector<Operand>& shape = names_.type(array).shape;
  const Operand is_first = out.scalar(ir::ScalarOp::eq, ir::ScalarType::i64,
                                      {collectives_.index(out), ir::i64_operand(0)}, "is_first");
  return out.branch(
      is_first, [&](ir::Builder&) { return std::vector<Operand>{array}; },
      [&](ir::Builder& b) {
        const std::vector<Operand> bins(shape.begin(),
                                        shape.begin() + static_cast<std::ptrdiff_t>(outer));
        return std::vector<Operand>{b.add(ir::Replicate{bins, neutral}, "neutral")};
      },
      names_.base(array))[0];
}

std::vector<Combined> Rewriter::start_histogram(ir::Statement& statement, ir::Builder& out) {
  auto& histogram = std::get<ir::SegmentedHistogram>(statement.operation);
  std::vector<Combined> all;
  std::size_t at = 0;
  for (ir::HistogramOperator& one : histogram.operators) {
    Combined combined = take_results(statement, at, one.destinations.size());
    at += one.destinations.size();
    combined.op = one.op;
    combined.neutral = one.neutral;
    for (const ir::SpaceDimension& outer : histogram.space) {
      combined.outer.push_back(outer.extent);
    }
    combined.outer.pop_back();
    combined.outer.insert(combined.outer.end(), one.shape.begin(), one.shape.end());
    for (std::size_t k = 0; k < one.destinations.size(); ++k) {
      one.destinations[k] = start(one.destinations[k], combined.outer.size(), one.neutral[k], out);
    }
    all.push_back(std::move(combined));
  }
  return all;
}

void Rewriter::keep_rows(NameId& destination, const Rows& rows, ir::Builder& out) {
  ir::Slice slice{destination, {}};
  for (const Operand& size : names_.type(destination).shape) {
    slice.dimensions.push_back({false, ir::i64_operand(0), size, ir::i64_operand(1)});
  }
  slice.dimensions.front().start = rows.first;
  slice.dimensions.front().count = rows.count;
  const NameId part = out.add(std::move(slice), names_.base(destination) + "_part");
  destination = out.add(ir::Copy{part}, names_.base(destination) + "_part");
}

// The rows of this rank of an array whose elements, or rows, were made equal.
std::optional<NameId> Rewriter::filled_rows(NameId array, const Operand& extent, ir::Builder& out) {
  const Operand element = element_of(array);
  if (element == Operand(array)) return std::nullopt;
  std::vector<Operand> part = names_.type(array).shape;
  const std::size_t rank = element.is_constant() ? 0 : names_.type(element.name()).rank();
  if (rank >= part.size()) return std::nullopt;
  part.resize(part.size() - rank);
  part.front() = rows_of(extent).count;
  return out.add(ir::Replicate{std::move(part), element}, names_.base(array) + "_part");
}

// What additions of others are added to.
NameId Rewriter::rows_to_add_to(NameId array, const Operand& extent, ir::Builder& out) {
  if (placement_.has_rows(array, extent)) return own_.at(array);
  const auto filled = filled_rows(array, extent, out);
  return filled ? *filled : part_of(array, {0}, extent, rows_of(extent), out).first;
}

// Each rank adds to the rows of its window, which are neutral elements before.
RowsAdded Rewriter::start_window(ir::Statement& statement, std::size_t input,
                                 const Accumulators& accumulators, ir::Builder& out) {
  auto& with = std::get<ir::WithAccumulator>(statement.operation);
  ir::AccumulatorInput& open = with.inputs[input];
  NameId& result = statement.results[input].name;
  const NameId whole = result;
  const WindowOver& window = placement_.added.at(whole);
  const Operand extent = open.shape.front();
  RowsAdded added{{}, extent, window.points, window.window, {}, own_rows(whole, rows_of(extent))};
  added.own = rows_to_add_to(open.array, extent, out);
  const Operand count = window_rows(whole, window, out);
  open.shape.front() = count;
  open.array = out.add(ir::Replicate{open.shape, open.neutral.front()}, "added");
  set_rows(with, accumulators, input, count, names_);
  ir::Type type = names_.type(whole);
  type.shape.front() = count;
  result = added.added = names_.fresh(names_.base(whole) + "_window", std::move(type));
  own_.emplace(whole, added.sum);
  return added;
}

void Rewriter::take_rows(ir::Statement& statement, ir::Lambda& scope, std::size_t from,
                         std::vector<NameId>& sent) {
  for (std::size_t k = from; k < statement.results.size(); ++k) {
    NameId& result = statement.results[k].name;
    const NameId whole = result;
    const auto split = placement_.split.find(whole);
    if (split == placement_.split.end()) continue;
    result = own_rows(whole, rows_of(split->second.extent));
    own_.emplace(whole, result);
    scope.body.results[k] = own_.at(scope.body.results[k].name());
    scope.result_types[k] = names_.type(result);
    if (placement_.is_sent(whole)) sent.push_back(whole);
  }
}

void Rewriter::share_additions(ir::Statement statement, ir::Builder& out) {
  auto& with = std::get<ir::WithAccumulator>(statement.operation);
  std::vector<Combined> all;
  std::vector<RowsAdded> added;
  std::vector<DeliveredInput> delivered;
  std::vector<NameId> sent;
  OpenAdditions open{{}, std::vector<const WindowOver*>(with.inputs.size())};
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const NameId result = statement.results[k].name;
    const auto window = placement_.added.find(result);
    if (window != placement_.added.end()) {
      if (open.accumulators.empty()) open.accumulators = *accumulators_of(with, names_);
      open.windows[k] = &window->second;
      added.push_back(start_window(statement, k, open.accumulators, out));
      if (placement_.is_sent(result)) sent.push_back(result);
      continue;
    }
    ir::AccumulatorInput& input = with.inputs[k];
    if (placement_.delivered.contains(result)) {
      delivered.push_back({k, result, input});
      if (placement_.is_sent(result)) sent.push_back(result);
      continue;
    }
    Combined combined = take_results(statement, k, 1);
    combined.op = *input.op;
    combined.neutral = input.neutral;
    combined.outer = input.shape;
    combined.commutative = true;
    input.array = start(input.array, input.shape.size(), input.neutral.front(), out);
    all.push_back(std::move(combined));
  }
  std::vector<NotedAddition> notes;
  std::vector<NoteArrays> noted;
  if (!delivered.empty()) {
    const Accumulators accumulators = *accumulators_of(with, names_);
    notes = notes_to_take(with, delivered, accumulators, out);
    const auto own = [&](const Operand& extent) {
      const Rows& rows = rows_of(extent);
      return OwnPoints{rows.first, rows.count};
    };
    noted = take_notes(statement, notes, accumulators, own, out);
  }
  std::vector<Combined> outside = std::exchange(pending_, {});
  open_.push_back(std::move(open));
  with.body.body = body(std::move(with.body.body), {});
  open_.pop_back();
  pending_ = std::move(outside);
  take_rows(statement, with.body, with.inputs.size(), sent);
  out.add(std::move(statement));
  std::move(all.begin(), all.end(), std::back_inserter(pending_));
  if (added.empty() && delivered.empty() && sent.empty()) return;
  agree(out);
  if (!added.empty()) collectives_.add_rows(out, added);
  if (!delivered.empty()) bring_notes(notes, noted, delivered, out);
  send(sent, out);
}

}  // namespace dagaz::passes::distributing
