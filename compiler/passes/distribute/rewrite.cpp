#include "passes/distribute/rewrite.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "ir/fields.h"
#include "ir/traces.h"
#include "passes/distribute/accumulations.h"
#include "passes/distribute/deliver.h"
#include "passes/distribute/inner_sums.h"
#include "passes/distribute/loops.h"
#include "passes/distribute/meet.h"
#include "passes/distribute/requests.h"
#include "passes/distribute/scans.h"
#include "passes/distribute/turns.h"
#include "passes/distribute/windows.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// What an operation over a space has of it.
struct Points {
  std::vector<ir::SpaceDimension>& space;
  ir::Body& body;
};
Points points_of(ir::Operation& operation) {
  if (auto* map = as<ir::SegmentedMap>(operation)) return {map->space, map->body};
  if (auto* reduce = as<ir::SegmentedReduce>(operation)) return {reduce->space, reduce->body};
  if (auto* scan = as<ir::SegmentedScan>(operation)) return {scan->space, scan->body};
  if (auto* scatter = as<ir::SegmentedScatter>(operation)) return {scatter->space, scatter->body};
  auto& histogram = std::get<ir::SegmentedHistogram>(operation);
  return {histogram.space, histogram.body};
}

}  // namespace

static void read_parts(Rewriting& c, ir::Operation& operation, const Share& share, const Rows& rows,
                       NameId local, ir::Builder& out) {
  const Operand extent = extent_of(operation, share);
  const auto reads =
      reads_at(operation, index_of(operation, share.dimension), c.definitions, c.names);
  const std::vector<NameId> arrays = ir::free_names(operation, c.names);
  // Windows first: of ranges only parts are left afterwards.
  for (const bool windows : {true, false}) {
    for (const NameId array : arrays) {
      const auto read = reads.find(array);
      if (read == reads.end()) continue;
      const Positions& positions = read->second.positions;
      const WindowOver* window = c.placement.window_of(array, extent);
      const bool through_window = window != nullptr && !reads_own_rows(c, array, positions, extent);
      if (through_window != windows || (!windows && positions.empty())) continue;
      Part part{array, 0, {}, rows.count};
      if (windows) {
        const FetchedWindow fetched = fetched_window(c, array, extent);
        part = {array, 0, fetched.memory, fetched.count, window->window};
      } else {
        std::tie(part.part, part.position) = part_of(c, array, positions, extent, rows, out);
      }
      read_part(points_of(operation).body, part, index_of(operation, share.dimension),
                {local, rows.first}, c.definitions, c.names);
    }
  }
}

void share_space(Rewriting& c, ir::Operation& operation, const Share& share, const Rows& rows,
                 ir::Builder& out) {
  const NameId index = index_of(operation, share.dimension).index;
  const NameId local = c.names.fresh(c.names.base(index), ir::scalar_of(ir::ScalarType::i64));
  const Points points = points_of(operation);
  for (const OpenAdditions& open : c.open) {
    for (std::size_t k = 0; k < open.windows.size(); ++k) {
      if (open.windows[k] == nullptr) continue;
      add_in_window(points.body, index_of(operation, share.dimension), {local, rows.first},
                    c.definitions, open.accumulators, k, open.windows[k]->window, c.names);
    }
  }
  read_parts(c, operation, share, rows, local, out);
  ir::SpaceDimension& dimension = points.space[share.dimension];
  dimension.index.name = local;
  dimension.extent = rows.count;
  const auto i64 = ir::ScalarType::i64;
  points.body.statements.insert(
      points.body.statements.begin(),
      ir::Statement{{{index}},
                    ir::Scalar{ir::ScalarOp::add, i64, i64, {local, rows.first}},
                    {},
                    out.location()});
}

static std::vector<Combined> start_reduction(Rewriting& c, ir::Statement& statement,
                                             const std::vector<ir::ReduceOperator>& operators,
                                             const std::vector<Operand>& outer) {
  std::vector<Combined> all;
  std::size_t at = 0;
  for (const ir::ReduceOperator& one : operators) {
    Combined combined = take_results(c, statement, at, one.neutral.size());
    at += one.neutral.size();
    combined.op = one.op;
    combined.neutral = one.neutral;
    combined.commutative = one.commutative;
    combined.outer = outer;
    all.push_back(std::move(combined));
  }
  return all;
}

static std::vector<Combined> start_reduction(Rewriting& c, ir::Statement& statement) {
  const auto& reduce = std::get<ir::SegmentedReduce>(statement.operation);
  std::vector<Operand> outer;
  for (const ir::SpaceDimension& one : reduce.space) outer.push_back(one.extent);
  outer.pop_back();
  return start_reduction(c, statement, reduce.operators, outer);
}

static std::vector<Combined> start_sums(Rewriting& c, ir::Statement& statement) {
  const auto& map = std::get<ir::SegmentedMap>(statement.operation);
  std::vector<Operand> outer;
  for (const ir::SpaceDimension& one : map.space) outer.push_back(one.extent);
  return start_reduction(c, statement, sum_of(map)->reductions, outer);
}

static void share_sums(Rewriting& c, ir::Operation& operation, const Share& share, const Rows& rows,
                       ir::Builder& out) {
  const Operand extent = extent_of(operation, share);
  read_parts(c, operation, share, rows, {}, out);
  ir::Body& points = std::get<ir::SegmentedMap>(operation).body;
  auto& sum = std::get<ir::MapScanReduce>(points.statements.back().operation);
  sum.width = rows.count;
  // Those that points read elsewhere, too, are whole still.
  ir::NameSet made;
  for (const ir::NameId name : ir::bound_names(points)) made.insert(name);
  ir::Builder inside(c.names);
  for (ir::NameId& array : sum.arrays) {
    if (c.names.type(array).shape.front() != extent) continue;
    ir::Builder& where = made.contains(array) ? inside : out;
    array = part_of(c, array, {0}, extent, rows, where).first;
  }
  std::vector<ir::Statement> slices = inside.take();
  points.statements.insert(points.statements.end() - 1, slices.begin(), slices.end());
}

static void share_statement(Rewriting& c, ir::Statement statement, const Share& share,
                            ir::Builder& out) {
  if (as<ir::SegmentedScan>(statement.operation) && share.reduces) {
    return share_scan(c, std::move(statement), share, out);
  }
  const Operand extent = extent_of(statement.operation, share);
  const Rows rows = rows_of(c, extent);
  if (!statement.results.empty() && c.placement.request_of(statement.results[0].name) != nullptr) {
    return ask_for(c, statement.results[0].name, rows, out);
  }
  if (c.placement.delivered.contains(statement.results[0].name)) {
    return deliver_results(c, statement, rows, out);
  }
  std::vector<Combined> combined;
  if (auto* scatter = as<ir::SegmentedScatter>(statement.operation)) {
    for (ir::ScatterTarget& one : scatter->targets) keep_rows(c, one.destination, rows, out);
  } else if (auto* histogram = as<ir::SegmentedHistogram>(statement.operation)) {
    if (share.reduces) {
      combined = start_histogram(c, statement, out);
    } else {
      for (ir::HistogramOperator& one : histogram->operators) {
        for (NameId& destination : one.destinations) keep_rows(c, destination, rows, out);
      }
    }
  } else if (as<ir::SegmentedReduce>(statement.operation) && share.reduces) {
    combined = start_reduction(c, statement);
  }
  if (share.dimension < space_of(statement.operation)->size()) {
    share_space(c, statement.operation, share, rows, out);
  } else {
    combined = start_sums(c, statement);
    share_sums(c, statement.operation, share, rows, out);
  }
  std::vector<NameId> sent;
  for (ir::Binder& result : statement.results) {
    const NameId whole = result.name;
    if (!c.placement.has_rows(whole, extent)) continue;
    result.name = own_rows(c, whole, rows);
    c.own.emplace(whole, result.name);
    if (c.placement.is_sent(whole)) sent.push_back(whole);
  }
  c.unagreed = c.unagreed || may_fail(statement.operation, c.definitions);
  out.add(std::move(statement));
  std::move(combined.begin(), combined.end(), std::back_inserter(c.pending));
  if (!sent.empty()) agree(c, out);
  send_made(c, sent, out);
}

// Where the array is whole, its views are.
static bool is_whole(const Rewriting& c, NameId view, const ir::Operation& operation) {
  const auto* permute = as<ir::Permute>(operation);
  return c.placement.gathered.contains(view) ||
         (permute != nullptr && c.placement.gathered.contains(permute->array));
}

static void update_part(Rewriting& c, const ir::Update& update, NameId result, ir::Builder& out) {
  const Split& split = c.placement.split.at(result);
  const Rows rows = rows_of(c, split.extent);
  const auto position = rows_of_value(update, split);
  ir::Update own = update;
  own.array = c.own.at(update.array);
  own.dimensions[split.dimension].count = rows.count;
  own.value = part_of(c, update.value.name(), {*position}, split.extent, rows, out).first;
  const NameId part = own_rows(c, result, rows, split.dimension);
  out.add(ir::Statement{{{part}}, std::move(own), {}, out.location()});
  c.own.emplace(result, part);
  if (!c.placement.is_sent(result)) return;
  agree(c, out);
  send_made(c, {result}, out);
}

// Views of what a rank has, and its rows of what is updated; whether nobody wants more of them.
static bool share_view(Rewriting& c, const ir::Statement& statement, ir::Builder& out) {
  if (statement.results.empty()) return false;
  const NameId result = statement.results[0].name;
  if (!c.placement.split.contains(result)) return false;
  if (const auto* update = as<ir::Update>(statement.operation)) {
    update_part(c, *update, result, out);
    return true;
  }
  const std::string name = c.names.base(result) + "_part";
  if (const auto* permute = as<ir::Permute>(statement.operation)) {
    const NameId part = c.own.at(permute->array);
    c.own.emplace(result, out.add(ir::Permute{part, permute->permutation}, name));
    permute_turned(c, *permute, result, out);
  } else if (const auto* read = as<ir::Index>(statement.operation)) {
    c.own.emplace(result, out.add(ir::Index{c.own.at(read->array), read->indices}, name));
  } else {
    return false;
  }
  if (c.placement.is_sent(result) && !c.placement.gathered.contains(result)) {
    agree(c, out);
    send_made(c, {result}, out);
  }
  return !is_whole(c, result, statement.operation);
}

static void rewrite_statement(Rewriting& c, ir::Statement statement, ir::Builder& out) {
  fetch_windows(c, statement, out);
  if (!statement.results.empty()) {
    const NameId first = statement.results[0].name;
    const auto share = c.placement.shares.find(first);
    if (share != c.placement.shares.end()) {
      return share_statement(c, std::move(statement), share->second, out);
    }
    if (c.placement.accumulations.contains(first)) {
      return share_additions(c, std::move(statement), out);
    }
  }
  if (as<ir::Branch>(statement.operation)) {
    return share_branch(c, std::move(statement), out);
  }
  if (as<ir::Loop>(statement.operation)) {
    return share_loop(c, std::move(statement), out);
  }
  if (!share_view(c, statement, out)) out.add(std::move(statement));
}

// Whether it neither takes memory that they read, nor says something that they would say before.
static bool may_overtake(const Rewriting& c, const ir::Statement& statement,
                         const ir::Statements& waiting) {
  const auto speaks_when_run = [&](const ir::Statement& one) {
    return may_fail(one.operation, c.definitions) || ir::has_trace(one.operation);
  };
  const bool speaks = speaks_when_run(statement);
  return std::none_of(waiting.begin(), waiting.end(), [&](const ir::Statement& one) {
    return (speaks && speaks_when_run(one)) || c.aliases.may_write(statement, one, c.names);
  });
}

// Who wants what is pending waits, and whoever wants something of him, while others go ahead: then
// more is pending when ranks meet.
static ir::Statements rewrite_statements(Rewriting& c, ir::Statements all, ir::Builder& out) {
  ir::Statements waiting;
  ir::NameSet unknown;
  bool all_wait = false;
  for (ir::Statement& one : all) {
    const std::vector<NameId> used = free_names(one, c.names);
    all_wait = all_wait || !may_overtake(c, one, waiting);
    const bool waits =
        all_wait || waits_for_meeting(c, one) ||
        std::any_of(used.begin(), used.end(), [&](NameId name) { return unknown.contains(name); });
    const std::vector<ir::Binder> results = one.results;
    if (waits) {
      for (const ir::Binder& result : results) unknown.insert(result.name);
      waiting.push_back(std::move(one));
      continue;
    }
    out.set_location(one.location);
    rewrite_statement(c, std::move(one), out);
    // What ranks have not met for is not known yet.
    for (const ir::Binder& result : results) {
      if (!is_pending(c, result.name)) add_shared(c, result.name, out);
    }
  }
  return waiting;
}

ir::Body rewrite_body(Rewriting& c, ir::Body body, const std::vector<NameId>& bound,
                      ir::Builder& out) {
  for (const NameId name : bound) add_shared(c, name, out);
  const auto fetched_around = c.fetched;
  const auto wanted_around = std::exchange(c.wanted, {});
  const auto answers_around = std::exchange(c.answers, {});
  want_windows(c, body.statements);
  want_answers(c, body.statements);
  while (!body.statements.empty()) {
    body.statements = rewrite_statements(c, std::move(body.statements), out);
    meet(c, out);
  }
  c.fetched = fetched_around;
  c.wanted = wanted_around;
  c.answers = answers_around;
  return out.take_body(std::move(body.results));
}

ir::Body rewrite_body(Rewriting& c, ir::Body body, const std::vector<NameId>& bound) {
  ir::Builder out(c.names);
  return rewrite_body(c, std::move(body), bound, out);
}

static void find_shared(Rewriting& c, const ir::Body& body) {
  for (const ir::Statement& one : body.statements) {
    if (const auto* loop = as<ir::Loop>(one.operation)) {
      for (const ir::LoopValue& value : loop->values) {
        const auto split = c.placement.split.find(value.parameter.name);
        if (split != c.placement.split.end()) note_extent(c, split->second.extent);
      }
    }
    const bool is_delivered =
        !one.results.empty() && c.placement.delivered.contains(one.results[0].name);
    for (const ir::Binder& result : one.results) {
      const auto split = c.placement.split.find(result.name);
      if (split == c.placement.split.end()) continue;
      if (is_delivered || c.placement.added.contains(result.name) ||
          c.placement.delivered.contains(result.name)) {
        note_extent(c, split->second.extent);
      }
    }
    if (const auto* value = as<ir::Replicate>(one.operation)) {
      c.replicated.emplace(one.results[0].name, value->value);
    }
    if (as<ir::Scratch>(one.operation)) c.scratch.insert(one.results[0].name);
    const auto share = one.results.empty() ? c.placement.shares.end()
                                           : c.placement.shares.find(one.results[0].name);
    if (share == c.placement.shares.end()) {
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { find_shared(c, inner); });
      continue;
    }
    note_extent(c, extent_of(one.operation, share->second));
  }
}

// Callers are told the rows of this rank.
static void leave_results(Rewriting& c, ir::Body& body) {
  ir::Builder out(c.names);
  ir::NameSet done;
  for (const Operand& result : body.results) {
    if (!result.is_name() || !c.placement.left.contains(result.name())) continue;
    const NameId whole = result.name();
    if (c.placement.gathered.contains(whole) || !done.insert(whole).second) continue;
    const bool has_rows = c.placement.split.at(whole).dimension == 0;
    const Operand& extent = c.names.type(whole).shape.front();
    const NameId own = has_rows ? c.own.at(whole) : *turned_part(c, whole, {extent, 0});
    c.collectives.leave(out, own, whole);
  }
  for (ir::Statement& one : out.take()) body.statements.push_back(std::move(one));
}

void rewrite(ir::Program& program, const Placement& placement, std::int64_t asked,
             ir::Function& function) {
  Rewriting c(program, placement, function, asked);
  find_shared(c, function.body);
  ir::Builder before(c.names);
  note_turned(c);
  for (const Operand& extent : c.shared_extents) {
    if (extent.is_constant()) add_rows(c, extent, before);
  }
  std::vector<NameId> bound;
  for (const ir::Binder& parameter : function.parameters) bound.push_back(parameter.name);
  ir::Body changed = rewrite_body(c, std::move(function.body), bound);
  leave_results(c, changed);
  std::vector<ir::Statement> first = before.take();
  changed.statements.insert(changed.statements.begin(), first.begin(), first.end());
  function.body = std::move(changed);
}

}  // namespace dagaz::passes::distributing
