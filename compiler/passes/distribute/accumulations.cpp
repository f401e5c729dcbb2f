// What is added to arrays: histograms and accumulators.  Each rank adds what its rows have, one of
// them to what the arrays hold, the others to neutral elements; then all are combined.
#include "passes/distribute/accumulations.h"

#include <iterator>
#include <utility>

#include "ir/names.h"
#include "passes/distribute/deliver_additions.h"
#include "passes/distribute/rewrite.h"
#include "passes/distribute/windows.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

// What all elements of an array are, if it was made so.
static Operand element_of(const Rewriting& c, Operand value) {
  while (value.is_name()) {
    const auto found = c.replicated.find(value.name());
    if (found == c.replicated.end()) break;
    value = found->second;
  }
  return value;
}

static NameId start_array(Rewriting& c, NameId array, std::size_t outer, const Operand& neutral,
                          ir::Builder& out) {
  if (element_of(c, array) == element_of(c, neutral)) return array;
  const std::vector<Operand>& shape = c.names.type(array).shape;
  const Operand is_first = out.scalar(ir::ScalarOp::eq, ir::ScalarType::i64,
                                      {c.collectives.index(out), ir::i64_operand(0)}, "is_first");
  return out.branch(
      is_first, [&](ir::Builder&) { return std::vector<Operand>{array}; },
      [&](ir::Builder& b) {
        const std::vector<Operand> bins(shape.begin(),
                                        shape.begin() + static_cast<std::ptrdiff_t>(outer));
        return std::vector<Operand>{b.add(ir::Replicate{bins, neutral}, "neutral")};
      },
      c.names.base(array))[0];
}

std::vector<Combined> start_histogram(Rewriting& c, ir::Statement& statement, ir::Builder& out) {
  auto& histogram = std::get<ir::SegmentedHistogram>(statement.operation);
  std::vector<Combined> all;
  std::size_t at = 0;
  for (ir::HistogramOperator& one : histogram.operators) {
    Combined combined = take_results(c, statement, at, one.destinations.size());
    at += one.destinations.size();
    combined.op = one.op;
    combined.neutral = one.neutral;
    for (const ir::SpaceDimension& outer : histogram.space) {
      combined.outer.push_back(outer.extent);
    }
    combined.outer.pop_back();
    combined.outer.insert(combined.outer.end(), one.shape.begin(), one.shape.end());
    for (std::size_t k = 0; k < one.destinations.size(); ++k) {
      NameId& bins = one.destinations[k];
      bins = start_array(c, bins, combined.outer.size(), one.neutral[k], out);
    }
    all.push_back(std::move(combined));
  }
  return all;
}

void keep_rows(Rewriting& c, NameId& destination, const Rows& rows, ir::Builder& out) {
  ir::Slice slice{destination, {}};
  for (const Operand& size : c.names.type(destination).shape) {
    slice.dimensions.push_back({false, ir::i64_operand(0), size, ir::i64_operand(1)});
  }
  slice.dimensions.front().start = rows.first;
  slice.dimensions.front().count = rows.count;
  const NameId part = out.add(std::move(slice), c.names.base(destination) + "_part");
  destination = out.add(ir::Copy{part}, c.names.base(destination) + "_part");
}

// The rows of this rank of an array whose elements, or rows, were made equal.
std::optional<NameId> filled_rows(Rewriting& c, NameId array, const Operand& extent,
                                  ir::Builder& out) {
  const Operand element = element_of(c, array);
  if (element == Operand(array)) return std::nullopt;
  std::vector<Operand> part = c.names.type(array).shape;
  const std::size_t rank = element.is_constant() ? 0 : c.names.type(element.name()).rank();
  if (rank >= part.size()) return std::nullopt;
  part.resize(part.size() - rank);
  part.front() = rows_of(c, extent).count;
  return out.add(ir::Replicate{std::move(part), element}, c.names.base(array) + "_part");
}

// What additions of others are added to.
static NameId rows_to_add_to(Rewriting& c, NameId array, const Operand& extent, ir::Builder& out) {
  if (c.placement.has_rows(array, extent)) return c.own.at(array);
  const auto filled = filled_rows(c, array, extent, out);
  return filled ? *filled : part_of(c, array, {0}, extent, rows_of(c, extent), out).first;
}

// Each rank adds to the rows of its window, which are neutral elements before.
static RowsAdded start_window(Rewriting& c, ir::Statement& statement, std::size_t input,
                              const Accumulators& accumulators, ir::Builder& out) {
  auto& with = std::get<ir::WithAccumulator>(statement.operation);
  ir::AccumulatorInput& open = with.inputs[input];
  NameId& result = statement.results[input].name;
  const NameId whole = result;
  const WindowOver& window = c.placement.added.at(whole);
  const Operand extent = open.shape.front();
  const NameId own = own_rows(c, whole, rows_of(c, extent));
  RowsAdded added{{}, extent, window.points, window.window, {}, own};
  added.own = rows_to_add_to(c, open.array, extent, out);
  const Operand count = window_rows(c, whole, window, out);
  open.shape.front() = count;
  open.array = out.add(ir::Replicate{open.shape, open.neutral.front()}, "added");
  set_rows(with, accumulators, input, count, c.names);
  ir::Type type = c.names.type(whole);
  type.shape.front() = count;
  result = added.added = c.names.fresh(c.names.base(whole) + "_window", std::move(type));
  c.own.emplace(whole, added.sum);
  return added;
}

void take_rows(Rewriting& c, ir::Statement& statement, ir::Lambda& scope, std::size_t from,
               std::vector<NameId>& sent) {
  for (std::size_t k = from; k < statement.results.size(); ++k) {
    NameId& result = statement.results[k].name;
    const NameId whole = result;
    const auto split = c.placement.split.find(whole);
    if (split == c.placement.split.end()) continue;
    result = own_rows(c, whole, rows_of(c, split->second.extent));
    c.own.emplace(whole, result);
    scope.body.results[k] = c.own.at(scope.body.results[k].name());
    scope.result_types[k] = c.names.type(result);
    if (c.placement.is_sent(whole)) sent.push_back(whole);
  }
}

void share_additions(Rewriting& c, ir::Statement statement, ir::Builder& out) {
  auto& with = std::get<ir::WithAccumulator>(statement.operation);
  std::vector<Combined> all;
  std::vector<RowsAdded> added;
  std::vector<DeliveredInput> delivered;
  std::vector<NameId> sent;
  OpenAdditions open{{}, std::vector<const WindowOver*>(with.inputs.size())};
  for (std::size_t k = 0; k < with.inputs.size(); ++k) {
    const NameId result = statement.results[k].name;
    const auto window = c.placement.added.find(result);
    if (window != c.placement.added.end()) {
      if (open.accumulators.empty()) open.accumulators = *accumulators_of(with, c.names);
      open.windows[k] = &window->second;
      added.push_back(start_window(c, statement, k, open.accumulators, out));
      if (c.placement.is_sent(result)) sent.push_back(result);
      continue;
    }
    ir::AccumulatorInput& input = with.inputs[k];
    if (c.placement.delivered.contains(result)) {
      delivered.push_back({k, result, input});
      if (c.placement.is_sent(result)) sent.push_back(result);
      continue;
    }
    Combined combined = take_results(c, statement, k, 1);
    combined.op = *input.op;
    combined.neutral = input.neutral;
    combined.outer = input.shape;
    combined.commutative = true;
    input.array = start_array(c, input.array, input.shape.size(), input.neutral.front(), out);
    all.push_back(std::move(combined));
  }
  std::vector<NotedAddition> notes;
  std::vector<NoteArrays> noted;
  if (!delivered.empty()) {
    const Accumulators accumulators = *accumulators_of(with, c.names);
    notes = notes_to_take(c, with, delivered, accumulators, out);
    const auto own = [&](const Operand& extent) {
      const Rows& rows = rows_of(c, extent);
      return OwnPoints{rows.first, rows.count};
    };
    noted = take_notes(statement, notes, accumulators, own, out);
  }
  std::vector<Combined> outside = std::exchange(c.pending, {});
  c.open.push_back(std::move(open));
  with.body.body = rewrite_body(c, std::move(with.body.body), {});
  c.open.pop_back();
  c.pending = std::move(outside);
  take_rows(c, statement, with.body, with.inputs.size(), sent);
  out.add(std::move(statement));
  std::move(all.begin(), all.end(), std::back_inserter(c.pending));
  if (added.empty() && delivered.empty() && sent.empty()) return;
  agree(c, out);
  if (!added.empty()) c.collectives.add_rows(out, added);
  if (!delivered.empty()) bring_notes(c, notes, noted, delivered, out);
  send_made(c, sent, out);
}

}  // namespace dagaz::passes::distributing
