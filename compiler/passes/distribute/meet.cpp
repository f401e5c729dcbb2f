// What ranks have each for itself is reduced once more, in the order of ranks: so the operator may
// be anything that it may be on one.
//
// Arrays that are combined element by element by an operation that ranks know are: each rank then
// combines one part of them.  Everything else goes to every rank.  What ranks have is kept until
// somebody wants to know, so that much goes in one message.
#include "passes/distribute/meet.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes::distributing {

using ir::NameId;
using ir::Operand;

namespace {

/// The reduction of what all ranks have, for every point of the outer dimensions.
ir::Statement reduction_of(const Combined& one, const std::vector<NameId>& all, NameId ranks,
                           ir::Builder& b) {
  ir::Names& names = b.names();
  const auto index = [&] { return names.fresh("r", ir::scalar_of(ir::ScalarType::i64)); };
  ir::SegmentedReduce again;
  std::vector<Operand> at{index()};
  for (const Operand& extent : one.outer) {
    at.emplace_back(index());
    again.space.push_back({{at.back().name()}, extent});
  }
  again.space.push_back({{at.front().name()}, ranks});
  ir::Builder inside(names);
  std::vector<Operand> values;
  for (const NameId own : all) values.emplace_back(inside.index(own, at));
  again.body = inside.take_body(std::move(values));
  again.result_types = one.op.result_types;
  again.operators.push_back({renamed(one.op, names), one.neutral, one.commutative});
  ir::Statement statement{{}, std::move(again), {}, b.location()};
  for (const NameId whole : one.whole) statement.results.push_back({whole});
  return statement;
}

}  // namespace

// Numbers go along where elements of arrays meet anyway.
static void reduce_met(Rewriting& c, const std::vector<const Combined*>& sums, ir::Builder& out) {
  std::vector<ir::ScalarOp> ops;
  std::vector<NameId> own;
  std::vector<NameId> whole;
  std::vector<std::pair<NameId, NameId>> numbers;  // and the arrays that they are in
  for (const Combined* one : sums) {
    ops.push_back(*known_operation(one->op));
    own.push_back(one->own.front());
    whole.push_back(one->whole.front());
    if (c.names.type(whole.back()).is_array()) continue;
    own.back() = out.add(ir::Replicate{{ir::i64_operand(1)}, own.back()}, "own");
    whole.back() = c.names.fresh_like(own.back());
    numbers.emplace_back(one->whole.front(), whole.back());
  }
  c.collectives.reduce(out, ops, own, whole);
  for (const auto& [number, array] : numbers) {
    out.add(ir::Statement{{{number}}, ir::Index{array, {ir::i64_operand(0)}}, {}, out.location()});
  }
}

static void collect_met(Rewriting& c, const std::vector<const Combined*>& all, ir::Builder& out) {
  std::vector<NameId> own;
  for (const Combined* one : all) own.insert(own.end(), one->own.begin(), one->own.end());
  const NameId ranks = c.collectives.size(out);
  const std::vector<NameId> everything = c.collectives.collect(out, ranks, own);
  auto next = everything.begin();
  for (const Combined* one : all) {
    const auto end = next + static_cast<std::ptrdiff_t>(one->own.size());
    out.add(reduction_of(*one, {next, end}, ranks, out));
    next = end;
  }
}

void meet(Rewriting& c, ir::Builder& out) {
  if (c.pending.empty()) return;
  agree(c, out);
  std::vector<const Combined*> known;
  std::vector<const Combined*> others;
  bool any_arrays = false;
  for (const Combined& one : c.pending) {
    const bool is_known = known_operation(one.op).has_value();
    (is_known ? known : others).push_back(&one);
    any_arrays = any_arrays || (is_known && c.names.type(one.whole.front()).is_array());
  }
  if (!any_arrays) {
    others.insert(others.end(), known.begin(), known.end());
  } else {
    reduce_met(c, known, out);
  }
  if (!others.empty()) collect_met(c, others, out);
  const std::vector<Combined> met = std::exchange(c.pending, {});
  for (const Combined& one : met) {
    for (const NameId whole : one.whole) add_shared(c, whole, out);
  }
}

// At once, and nothing else.
void meet(Rewriting& c, std::vector<Combined> all, ir::Builder& out) {
  std::vector<Combined> outside = std::exchange(c.pending, std::move(all));
  meet(c, out);
  c.pending = std::move(outside);
}

std::vector<NameId> combine_rows(Rewriting& c, const std::vector<NameId>& own, const Combined& met,
                                 ir::Builder& out) {
  const Rows& rows = rows_of(c, met.outer.front());
  ir::SegmentedMap map{{}, {}, met.op.result_types};
  std::vector<Operand> at;
  for (const Operand& extent : met.outer) {
    at.emplace_back(c.names.fresh("i", ir::scalar_of(ir::ScalarType::i64)));
    map.space.push_back({{at.back().name()}, extent});
  }
  map.space.front().extent = rows.count;
  ir::Builder inside = out.nested();
  std::vector<Operand> of_whole = at;
  of_whole.front() = inside.add_i64(at.front(), rows.first);
  std::vector<Operand> values;
  for (const NameId one : own) values.push_back(inside.index(one, at, "own"));
  for (const NameId one : met.whole) values.push_back(inside.index(one, of_whole, "met"));
  map.body = inside.take_body(apply(met.op, values, inside));
  return out.add_results(std::move(map), c.names.base(own.front()));
}

bool is_pending(const Rewriting& c, NameId name) {
  return std::any_of(c.pending.begin(), c.pending.end(), [&](const Combined& one) {
    return std::find(one.whole.begin(), one.whole.end(), name) != one.whole.end();
  });
}

bool waits_for_meeting(const Rewriting& c, const ir::Statement& statement) {
  if (c.pending.empty()) return false;
  if (as<ir::Branch>(statement.operation) || as<ir::Loop>(statement.operation)) return true;
  const std::vector<NameId> used = free_names(statement, c.names);
  return std::any_of(used.begin(), used.end(), [&](NameId name) { return is_pending(c, name); });
}

}  // namespace dagaz::passes::distributing
