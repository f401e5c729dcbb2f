#include "passes/distribute/rewrite.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "ir/fields.h"
#include "ir/traces.h"
#include "passes/distribute/inner_sums.h"
#include "support/check.h"
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

Rewriter::Rewriter(ir::Program& program, const Placement& placement, const ir::Function& function,
                   std::int64_t asked)
    : program_(program),
      names_(program.names),
      placement_(placement),
      asked_(asked),
      definitions_(function),
      aliases_(ir::analyse_aliases(function, program)),
      collectives_(program) {}

void Rewriter::note_extent(const Operand& extent) {
  if (std::find(shared_extents_.begin(), shared_extents_.end(), extent) == shared_extents_.end()) {
    shared_extents_.push_back(extent);
  }
}

void Rewriter::find_shared(const ir::Body& body) {
  for (const ir::Statement& one : body.statements) {
    if (const auto* loop = as<ir::Loop>(one.operation)) {
      for (const ir::LoopValue& value : loop->values) {
        const auto split = placement_.split.find(value.parameter.name);
        if (split != placement_.split.end()) note_extent(split->second.extent);
      }
    }
    const bool is_delivered =
        !one.results.empty() && placement_.delivered.contains(one.results[0].name);
    for (const ir::Binder& result : one.results) {
      const auto split = placement_.split.find(result.name);
      if (split == placement_.split.end()) continue;
      if (is_delivered || placement_.added.contains(result.name) ||
          placement_.delivered.contains(result.name)) {
        note_extent(split->second.extent);
      }
    }
    if (const auto* value = as<ir::Replicate>(one.operation)) {
      replicated_.emplace(one.results[0].name, value->value);
    }
    if (as<ir::Scratch>(one.operation)) scratch_.insert(one.results[0].name);
    const auto share =
        one.results.empty() ? placement_.shares.end() : placement_.shares.find(one.results[0].name);
    if (share == placement_.shares.end()) {
      ir::for_each_scope(one.operation, [&](const ir::Body& inner) { find_shared(inner); });
      continue;
    }
    note_extent(extent_of(one.operation, share->second));
  }
}

void Rewriter::rewrite(ir::Function& function) {
  find_shared(function.body);
  ir::Builder before(names_);
  note_turned();
  for (const Operand& extent : shared_extents_) {
    if (extent.is_constant()) add_rows(extent, before);
  }
  std::vector<NameId> bound;
  for (const ir::Binder& parameter : function.parameters) bound.push_back(parameter.name);
  ir::Body changed = body(std::move(function.body), bound);
  leave_results(changed);
  std::vector<ir::Statement> first = before.take();
  changed.statements.insert(changed.statements.begin(), first.begin(), first.end());
  function.body = std::move(changed);
}

// Callers are told the rows of this rank.
void Rewriter::leave_results(ir::Body& body) {
  ir::Builder out(names_);
  ir::NameSet done;
  for (const Operand& result : body.results) {
    if (!result.is_name() || !placement_.left.contains(result.name())) continue;
    const NameId whole = result.name();
    if (placement_.gathered.contains(whole) || !done.insert(whole).second) continue;
    const bool has_rows = placement_.split.at(whole).dimension == 0;
    const NameId own = has_rows ? own_.at(whole) : *turned_part(whole, {names_.type(whole).shape.front(), 0});
    collectives_.leave(out, own, whole);
  }
  for (ir::Statement& one : out.take()) body.statements.push_back(std::move(one));
}

ir::Body Rewriter::body(ir::Body body, const std::vector<NameId>& bound) {
  ir::Builder out(names_);
  return this->body(std::move(body), bound, out);
}

ir::Body Rewriter::body(ir::Body body, const std::vector<NameId>& bound, ir::Builder& out) {
  for (const NameId name : bound) add_shared(name, out);
  const auto fetched_around = fetched_;
  const auto wanted_around = std::exchange(wanted_, {});
  const auto answers_around = std::exchange(answers_, {});
  want_windows(body.statements);
  want_answers(body.statements);
  while (!body.statements.empty()) {
    body.statements = statements(std::move(body.statements), out);
    meet(out);
  }
  fetched_ = fetched_around;
  wanted_ = wanted_around;
  answers_ = answers_around;
  return out.take_body(std::move(body.results));
}

// Who wants what is pending waits, and whoever wants something of him, while others go ahead: then
// more is pending when ranks meet.
ir::Statements Rewriter::statements(ir::Statements all, ir::Builder& out) {
  ir::Statements waiting;
  ir::NameSet unknown;
  bool all_wait = false;
  for (ir::Statement& one : all) {
    const std::vector<NameId> used = free_names(one, names_);
    all_wait = all_wait || !may_overtake(one, waiting);
    const bool waits =
        all_wait || waits_for_meeting(one) ||
        std::any_of(used.begin(), used.end(), [&](NameId name) { return unknown.contains(name); });
    const std::vector<ir::Binder> results = one.results;
    if (waits) {
      for (const ir::Binder& result : results) unknown.insert(result.name);
      waiting.push_back(std::move(one));
      continue;
    }
    out.set_location(one.location);
    statement(std::move(one), out);
    // What ranks have not met for is not known yet.
    for (const ir::Binder& result : results) {
      if (!is_pending(result.name)) add_shared(result.name, out);
    }
  }
  return waiting;
}

// Whether it neither takes memory that they read, nor says something that they would say before.
bool Rewriter::may_overtake(const ir::Statement& statement, const ir::Statements& waiting) const {
  const std::vector<NameId> taken = aliases_.consumed_by(statement);
  const auto speaks_when_run = [&](const ir::Statement& one) {
    return may_fail(one.operation, definitions_) || ir::has_trace(one.operation);
  };
  const bool speaks = speaks_when_run(statement);
  return std::none_of(waiting.begin(), waiting.end(), [&](const ir::Statement& one) {
    if (speaks && speaks_when_run(one)) return true;
    if (taken.empty()) return false;
    const std::vector<NameId> used = free_names(one, names_);
    return std::any_of(used.begin(), used.end(), [&](NameId name) {
      return std::any_of(taken.begin(), taken.end(),
                         [&](NameId each) { return aliases_.may_alias(name, each); });
    });
  });
}

void Rewriter::add_shared(NameId name, ir::Builder& out) {
  const auto found = std::find(shared_extents_.begin(), shared_extents_.end(), Operand(name));
  if (found != shared_extents_.end()) add_rows(name, out);
}

void Rewriter::add_rows(const Operand& extent, ir::Builder& out) {
  const NameId first = collectives_.first(out, extent);
  rows_.emplace_back(extent, Rows{first, collectives_.count(out, extent)});
}

const Rows& Rewriter::rows_of(const Operand& extent) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const auto& one) { return one.first == extent; });
  DZ_CHECK(found != rows_.end(), "an extent that is shared before it is known");
  return found->second;
}

void Rewriter::statement(ir::Statement statement, ir::Builder& out) {
  fetch_windows(statement, out);
  if (!statement.results.empty()) {
    const NameId first = statement.results[0].name;
    const auto share = placement_.shares.find(first);
    if (share != placement_.shares.end()) {
      return this->share(std::move(statement), share->second, out);
    }
    if (placement_.accumulations.contains(first)) {
      return share_additions(std::move(statement), out);
    }
  }
  if (as<ir::Branch>(statement.operation)) {
    return share_branch(std::move(statement), out);
  }
  if (as<ir::Loop>(statement.operation)) {
    return share_loop(std::move(statement), out);
  }
  if (!share_view(statement, out)) out.add(std::move(statement));
}

// Views of what a rank has, and its rows of what is updated; whether nobody wants more of them.
bool Rewriter::share_view(const ir::Statement& statement, ir::Builder& out) {
  if (statement.results.empty()) return false;
  const NameId result = statement.results[0].name;
  if (!placement_.split.contains(result)) return false;
  if (const auto* update = as<ir::Update>(statement.operation)) {
    update_part(*update, result, out);
    return true;
  }
  const std::string name = names_.base(result) + "_part";
  if (const auto* permute = as<ir::Permute>(statement.operation)) {
    own_.emplace(result, out.add(ir::Permute{own_.at(permute->array), permute->permutation}, name));
    permute_turned(*permute, result, out);
  } else if (const auto* read = as<ir::Index>(statement.operation)) {
    own_.emplace(result, out.add(ir::Index{own_.at(read->array), read->indices}, name));
  } else {
    return false;
  }
  if (placement_.is_sent(result) && !placement_.gathered.contains(result)) {
    agree(out);
    send({result}, out);
  }
  return !is_whole(result, statement.operation);
}

// Where the array is whole, its views are.
bool Rewriter::is_whole(NameId view, const ir::Operation& operation) const {
  const auto* permute = as<ir::Permute>(operation);
  return placement_.gathered.contains(view) ||
         (permute != nullptr && placement_.gathered.contains(permute->array));
}

void Rewriter::update_part(const ir::Update& update, NameId result, ir::Builder& out) {
  const Split& split = placement_.split.at(result);
  const Rows rows = rows_of(split.extent);
  const auto position = rows_of_value(update, split);
  ir::Update own = update;
  own.array = own_.at(update.array);
  own.dimensions[split.dimension].count = rows.count;
  own.value = part_of(update.value.name(), {*position}, split.extent, rows, out).first;
  const NameId part = own_rows(result, rows, split.dimension);
  out.add(ir::Statement{{{part}}, std::move(own), {}, out.location()});
  own_.emplace(result, part);
  if (!placement_.is_sent(result)) return;
  agree(out);
  send({result}, out);
}

// Ranks gather rows; along another dimension these are turned before, and back.
void Rewriter::gather(NameId whole, ir::Builder& out) {
  const std::size_t dimension = placement_.split.at(whole).dimension;
  const NameId part = own_.at(whole);
  if (dimension == 0) return collectives_.gather(out, part, whole);
  const ir::Type type = names_.type(whole);
  std::vector<int> there{static_cast<int>(dimension)};
  std::vector<int> back;
  ir::Type turned = type;
  turned.shape = {type.shape[dimension]};
  for (std::size_t d = 0; d < type.rank(); ++d) {
    back.push_back(static_cast<int>(d < dimension ? d + 1 : d == dimension ? 0 : d));
    if (d == dimension) continue;
    there.push_back(static_cast<int>(d));
    turned.shape.push_back(type.shape[d]);
  }
  const NameId rows = out.add(ir::Copy{out.add(ir::Permute{part, there}, "turned")}, "turned");
  const NameId all = names_.fresh(names_.base(whole) + "_turned", std::move(turned));
  collectives_.gather(out, rows, all);
  out.add(ir::Statement{{{whole}}, ir::Permute{all, back}, {}, out.location()});
}

void Rewriter::send(const std::vector<NameId>& all, ir::Builder& out) {
  for (const NameId whole : all) {
    if (placement_.gathered.contains(whole)) gather(whole, out);
  }
  turn(all, out);
}

bool Rewriter::shares_what_may_fail(const ir::Body& body) const {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    if (!one.results.empty() && placement_.shares.contains(one.results[0].name)) {
      return may_fail(one.operation, definitions_);
    }
    bool inside = false;
    ir::for_each_scope(one.operation, [&](const ir::Body& inner) {
      inside = inside || shares_what_may_fail(inner);
    });
    return inside;
  });
}

void Rewriter::agree(ir::Builder& out) {
  if (unagreed_) collectives_.agree(out);
  unagreed_ = false;
}

NameId Rewriter::own_rows(NameId whole, const Rows& rows, std::size_t dimension) {
  ir::Type type = names_.type(whole);
  type.shape[dimension] = rows.count;
  return names_.fresh(names_.base(whole) + "_part", std::move(type));
}

bool Rewriter::reads_own_rows(NameId array, const Positions& positions,
                              const Operand& extent) const {
  const auto split = placement_.split_at(array, extent);
  return split && std::find(positions.begin(), positions.end(), *split) != positions.end();
}

std::pair<NameId, std::size_t> Rewriter::part_of(NameId array, const Positions& positions,
                                                 const Operand& extent, const Rows& rows,
                                                 ir::Builder& out) {
  if (reads_own_rows(array, positions, extent)) {
    return {own_.at(array), *placement_.split_at(array, extent)};
  }
  for (const std::size_t one : positions) {
    if (const auto turned = turned_part(array, {extent, one})) return {*turned, one};
  }
  const std::size_t position = positions.front();
  ir::Slice slice{array, {}};
  const ir::Type& type = names_.type(array);
  for (std::size_t k = 0; k < type.rank(); ++k) {
    const Operand one = ir::i64_operand(1);
    slice.dimensions.push_back(
        k == position ? ir::SliceDimension{false, rows.first, rows.count, one}
                      : ir::SliceDimension{false, ir::i64_operand(0), type.shape[k], one});
  }
  return {out.add(std::move(slice), names_.base(array) + "_part"), position};
}

void Rewriter::read_parts(ir::Operation& operation, const Share& share, const Rows& rows,
                          NameId local, ir::Builder& out) {
  const Operand extent = extent_of(operation, share);
  const auto reads =
      reads_at(operation, index_of(operation, share.dimension), definitions_, names_);
  const std::vector<NameId> arrays = ir::free_names(operation, names_);
  // Windows first: of ranges only parts are left afterwards.
  for (const bool windows : {true, false}) {
    for (const NameId array : arrays) {
      const auto read = reads.find(array);
      if (read == reads.end()) continue;
      const Positions& positions = read->second.positions;
      const WindowOver* window = placement_.window_of(array, extent);
      const bool through_window = window != nullptr && !reads_own_rows(array, positions, extent);
      if (through_window != windows || (!windows && positions.empty())) continue;
      Part part{array, 0, {}, rows.count};
      if (windows) {
        const Fetched fetched = fetched_window(array, extent);
        part = {array, 0, fetched.memory, fetched.count, window->window};
      } else {
        std::tie(part.part, part.position) = part_of(array, positions, extent, rows, out);
      }
      read_part(points_of(operation).body, part, index_of(operation, share.dimension),
                {local, rows.first}, definitions_, names_);
    }
  }
}

void Rewriter::share_space(ir::Operation& operation, const Share& share, const Rows& rows,
                           ir::Builder& out) {
  const NameId index = index_of(operation, share.dimension).index;
  const NameId local = names_.fresh(names_.base(index), ir::scalar_of(ir::ScalarType::i64));
  const Points points = points_of(operation);
  for (const OpenAdditions& open : open_) {
    for (std::size_t k = 0; k < open.windows.size(); ++k) {
      if (open.windows[k] == nullptr) continue;
      add_in_window(points.body, index_of(operation, share.dimension), {local, rows.first},
                    definitions_, open.accumulators, k, open.windows[k]->window, names_);
    }
  }
  read_parts(operation, share, rows, local, out);
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

Combined Rewriter::take_results(ir::Statement& statement, std::size_t first, std::size_t count) {
  Combined taken;
  for (std::size_t k = first; k < first + count; ++k) {
    ir::NameId& result = statement.results[k].name;
    taken.whole.push_back(result);
    result = names_.fresh_like(result);
    taken.own.push_back(result);
  }
  return taken;
}

std::vector<Combined> Rewriter::start_reduction(ir::Statement& statement,
                                                const std::vector<ir::ReduceOperator>& operators,
                                                const std::vector<Operand>& outer) {
  std::vector<Combined> all;
  std::size_t at = 0;
  for (const ir::ReduceOperator& one : operators) {
    Combined combined = take_results(statement, at, one.neutral.size());
    at += one.neutral.size();
    combined.op = one.op;
    combined.neutral = one.neutral;
    combined.commutative = one.commutative;
    combined.outer = outer;
    all.push_back(std::move(combined));
  }
  return all;
}

std::vector<Combined> Rewriter::start_reduction(ir::Statement& statement) {
  const auto& reduce = std::get<ir::SegmentedReduce>(statement.operation);
  std::vector<Operand> outer;
  for (const ir::SpaceDimension& one : reduce.space) outer.push_back(one.extent);
  outer.pop_back();
  return start_reduction(statement, reduce.operators, outer);
}

std::vector<Combined> Rewriter::start_sums(ir::Statement& statement) {
  const auto& map = std::get<ir::SegmentedMap>(statement.operation);
  std::vector<Operand> outer;
  for (const ir::SpaceDimension& one : map.space) outer.push_back(one.extent);
  return start_reduction(statement, sum_of(map)->reductions, outer);
}

void Rewriter::share_sums(ir::Operation& operation, const Share& share, const Rows& rows,
                          ir::Builder& out) {
  const Operand extent = extent_of(operation, share);
  read_parts(operation, share, rows, {}, out);
  ir::Body& points = std::get<ir::SegmentedMap>(operation).body;
  auto& sum = std::get<ir::MapScanReduce>(points.statements.back().operation);
  sum.width = rows.count;
  // Those that points read elsewhere, too, are whole still.
  ir::NameSet made;
  for (const ir::NameId name : ir::bound_names(points)) made.insert(name);
  ir::Builder inside(names_);
  for (ir::NameId& array : sum.arrays) {
    if (names_.type(array).shape.front() != extent) continue;
    ir::Builder& where = made.contains(array) ? inside : out;
    array = part_of(array, {0}, extent, rows, where).first;
  }
  std::vector<ir::Statement> slices = inside.take();
  points.statements.insert(points.statements.end() - 1, slices.begin(), slices.end());
}

void Rewriter::share(ir::Statement statement, const Share& share, ir::Builder& out) {
  if (as<ir::SegmentedScan>(statement.operation) && share.reduces) {
    return share_scan(std::move(statement), share, out);
  }
  const Operand extent = extent_of(statement.operation, share);
  const Rows rows = rows_of(extent);
  if (!statement.results.empty() && placement_.request_of(statement.results[0].name) != nullptr) {
    return ask(statement.results[0].name, rows, out);
  }
  if (placement_.delivered.contains(statement.results[0].name)) {
    return deliver_results(statement, rows, out);
  }
  std::vector<Combined> combined;
  if (auto* scatter = as<ir::SegmentedScatter>(statement.operation)) {
    for (ir::ScatterTarget& one : scatter->targets) keep_rows(one.destination, rows, out);
  } else if (auto* histogram = as<ir::SegmentedHistogram>(statement.operation)) {
    if (share.reduces) {
      combined = start_histogram(statement, out);
    } else {
      for (ir::HistogramOperator& one : histogram->operators) {
        for (NameId& destination : one.destinations) keep_rows(destination, rows, out);
      }
    }
  } else if (as<ir::SegmentedReduce>(statement.operation) && share.reduces) {
    combined = start_reduction(statement);
  }
  if (share.dimension < space_of(statement.operation)->size()) {
    share_space(statement.operation, share, rows, out);
  } else {
    combined = start_sums(statement);
    share_sums(statement.operation, share, rows, out);
  }
  std::vector<NameId> sent;
  for (ir::Binder& result : statement.results) {
    const NameId whole = result.name;
    if (!placement_.has_rows(whole, extent)) continue;
    result.name = own_rows(whole, rows);
    own_.emplace(whole, result.name);
    if (placement_.is_sent(whole)) sent.push_back(whole);
  }
  unagreed_ = unagreed_ || may_fail(statement.operation, definitions_);
  out.add(std::move(statement));
  std::move(combined.begin(), combined.end(), std::back_inserter(pending_));
  if (!sent.empty()) agree(out);
  send(sent, out);
}

}  // namespace dagaz::passes::distributing
