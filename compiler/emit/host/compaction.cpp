// Filters: plan/compaction.cpp says which statements they are, and gpu/compaction.cpp how a GPU
// runs them.
//
// Where a CPU has several pieces, a first loop counts what each of them keeps, so that a second one
// knows where each piece begins to write, and where the next one does.  Up to there lanes are
// stored as a whole: those behind what stays are written over by what comes next.  The last piece
// knows how much is kept.
#include "emit/host/compaction.h"

#include "emit/context/location_scope.h"
#include "emit/gpu/compaction.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/segmented/scan.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"
#include "plan/compaction.h"

namespace dagaz::emit {

namespace {

/// Where a list goes on, and where it has to stop.
struct End {
  NameId next;
  NameId limit;
};

struct CompactionLoop {
  const plan::Compaction& compaction;
  std::vector<std::vector<Place>> places;  // of the targets of each list
  std::vector<End> ends;
};

}  // namespace

// 1 where a condition holds, else 0.
static Operand number_of(Context& c, const Operand& condition) {
  if (condition.is_constant()) return ir::i64_operand(ir::integer_value(condition.constant()));
  const NameId number = c.variable("one", ScalarType::i64);
  c.emit(Assign{number, ScalarOp::zero_extend, ScalarType::boolean, ScalarType::i64, {condition}});
  return number;
}

static ScalarType type_of(const Context& c, const plan::Compaction::Target& target) {
  return c.names().type(target.destination).element;
}

static void append_point(Context& c, const CompactionLoop& loop, const Operand& point) {
  for (const NameId index : loop.compaction.indices) c.move(index, point);
  emit_body(c, loop.compaction.body, {}, [&](const std::vector<Value>& values) {
    for (std::size_t k = 0; k < loop.ends.size(); ++k) {
      const plan::Compaction::List& list = loop.compaction.lists[k];
      const End& end = loop.ends[k];
      // Whether it stays or not: what does not is written over.
      c.branch(c.less(end.next, end.limit), [&] {
        for (std::size_t t = 0; t < list.targets.size(); ++t) {
          write(c, loop.places[k][t], {end.next}, values[list.targets[t].value]);
        }
      });
      const Operand one = number_of(c, values[list.flag].operand);
      c.move(end.next, c.add(end.next, list.negated ? c.sub(ir::i64_operand(1), one) : one));
    }
  });
}

static void store_kept(Lanes& l, const Place& place, const Operand& at, const Operand& kept,
                       ScalarType type, const std::optional<Operand>& mask) {
  l.c.emit(StoreLanes{place.block, element_at(l.c, place, {at}), place.strides[0], kept, type,
                      mask});
}

// The lanes of `list` that stay, to its targets.
static void append_lanes(Lanes& l, const CompactionLoop& loop, std::size_t k,
                         const std::vector<LaneResult>& results) {
  Context& c = l.c;
  const plan::Compaction::List& list = loop.compaction.lists[k];
  const End& end = loop.ends[k];
  const LaneScalar& flag = *results[list.flag].scalar;
  const LaneScalar stays = list.negated ? negated(l, flag) : flag;
  const Operand mask = with_lanes(l, piece_of(l, stays, 0, 0), ScalarType::boolean);
  std::vector<Operand> kept;
  for (const plan::Compaction::Target& target : list.targets) {
    const ScalarType type = type_of(c, target);
    const Operand value = with_lanes(l, piece_of(l, *results[target.value].scalar, 0, 0), type);
    const NameId together = lane_variable(l, "kept", type);
    c.emit(CompressLanes{together, value, mask, type});
    kept.push_back(together);
  }
  const auto store_all = [&](const std::optional<Operand>& inside) {
    for (std::size_t t = 0; t < kept.size(); ++t) {
      store_kept(l, loop.places[k][t], end.next, kept[t], type_of(c, list.targets[t]), inside);
    }
  };
  const Operand width = ir::i64_operand(l.block.width);
  c.branch(
      c.less(end.limit, c.add(end.next, width)),
      [&] {
        const NameId numbers = lane_variable(l, "lane", ScalarType::i64);
        const NameId inside = lane_variable(l, "inside", ScalarType::boolean);
        c.emit(LaneNumbers{numbers});
        c.emit(Assign{inside, ScalarOp::slt, ScalarType::i64, ScalarType::boolean,
                      {numbers, c.sub(end.limit, end.next)}});
        store_all(inside);
      },
      [&] { store_all(std::nullopt); });
  const NameId count = c.variable("count", ScalarType::i64);
  c.emit(CountLanes{count, mask});
  c.move(end.next, c.add(end.next, count));
}

static void append_piece(Context& c, const CompactionLoop& loop, int width, const Operand& start,
                         const Operand& length) {
  Operand done = ir::i64_operand(0);
  if (width > 1) {
    const Operand span = ir::i64_operand(width);
    const Operand blocks = c.divide(length, span);
    ir::LaneBlocks plan;
    plan.width = width;
    thread_loop(c, blocks, false, [&](const Operand& b) {
      Lanes lanes(c, plan);
      const Operand first = c.add(start, c.mul(b, span));
      for (const NameId index : loop.compaction.indices) {
        bind_index(lanes, index, first, false, true);
      }
      const std::vector<LaneResult> results = emit_body(lanes, loop.compaction.body, {});
      for (std::size_t k = 0; k < loop.ends.size(); ++k) append_lanes(lanes, loop, k, results);
    });
    done = c.mul(blocks, span);
  }
  thread_loop(c, c.sub(length, done), false, [&](const Operand& i) {
    append_point(c, loop, c.add(c.add(start, done), i));
  });
}

// A list of a piece ends where that of the next one begins, and no later than its arrays.
static std::vector<End> ends_of_piece(Context& c, const plan::Compaction& compaction,
                                      const std::vector<Place>& before, const Operand& piece,
                                      const Operand& pieces) {
  std::vector<End> ends;
  for (const plan::Compaction::List& list : compaction.lists) {
    const Place& begins = before[list.scanned];
    const Operand start = load(c, begins, {piece}, ScalarType::i64, "x");
    const End end{c.mutable_variable("next", ScalarType::i64, start),
                  c.mutable_variable("limit", ScalarType::i64, list.size)};
    const Operand following = c.add(piece, ir::i64_operand(1));
    c.branch(c.less(following, pieces), [&] {
      c.move(end.limit, c.minimum(list.size, load(c, begins, {following}, ScalarType::i64, "x")));
    });
    ends.push_back(end);
  }
  return ends;
}

// What is counted, where the lists of the last piece end.
static void write_totals(Context& c, const CompactionLoop& loop, const std::vector<Place>& totals) {
  const plan::Compaction& compaction = loop.compaction;
  for (std::size_t t = 0; t < totals.size(); ++t) {
    for (std::size_t k = 0; k < loop.ends.size(); ++k) {
      if (compaction.lists[k].scanned != compaction.counts[t].scanned) continue;
      write(c, totals[t], {}, {loop.ends[k].next, ir::scalar_of(ScalarType::i64), {}});
    }
  }
}

static void append_all(Context& c, const plan::Compaction& compaction, int width,
                       const std::vector<Place>& totals) {
  const ir::SegmentedScan& scan = *compaction.scan;
  Operand cost = cost_of(c, scan.schedule);
  for (const ir::SegmentedScatter* one : compaction.scatters) {
    cost = c.add(cost, cost_of(c, one->schedule));
  }
  CompactionLoop loop{compaction, {}, {}};
  for (const plan::Compaction::List& list : compaction.lists) {
    loop.places.emplace_back();
    for (const plan::Compaction::Target& target : list.targets) {
      loop.places.back().push_back(c.arrays.place_of(target.destination));
    }
  }
  const std::vector<ir::Type> types(scan.operators.size(), ir::scalar_of(ScalarType::i64));
  const Pieces pieces = cut_segments(c, scan.space, cost, pieces_of(scan.schedule));
  const std::vector<Place> before = partial_arrays(c, types, pieces);
  reduce_pieces(c, scan, pieces, cost, before);
  exclusive_over_pieces(c, scan, pieces, before, types);
  for_each_piece(c, pieces, cost,
                 [&](const std::vector<Operand>&, const Operand& piece, const Operand& start,
                     const Operand& length) {
                   c.thread.uses_memory = true;
                   loop.ends = ends_of_piece(c, compaction, before, piece, pieces.count);
                   append_piece(c, loop, width, start, length);
                   const Operand following = c.add(piece, ir::i64_operand(1));
                   c.branch(c.equal(following, pieces.count),
                            [&] { write_totals(c, loop, totals); });
                 });
}

static void append_all_on_gpu(Context& c, const plan::Compaction& compaction, int stretch,
                              const std::vector<Place>& totals) {
  PutTotals put_totals;
  if (!totals.empty()) {
    put_totals = [&](const std::vector<Value>& all) {
      for (std::size_t k = 0; k < totals.size(); ++k) {
        write(c, totals[k], {}, all[compaction.counts[k].scanned]);
      }
    };
  }
  compact_in_one_pass(c, compaction, stretch, put_totals);
}

std::size_t emit_compaction(Context& c, const std::vector<ir::Statement>& statements,
                            std::size_t first) {
  const auto* scan = as<ir::SegmentedScan>(statements[first].operation);
  if (scan == nullptr || scan->schedule.versions.empty()) return 0;
  const auto* plan = as<ir::Compaction>(scan->schedule.versions[0].strategy);
  if (plan == nullptr) return 0;
  const std::size_t count = static_cast<std::size_t>(plan->statements) + 1;
  const auto compaction =
      plan::compaction_of(std::span(statements).subspan(first, count), {}, c.names());
  for (std::size_t k = first + 1; k < first + count; ++k) {
    c.scopes.at_statement(k);
    const bool together = as<ir::SegmentedScatter>(statements[k].operation) ||
                          as<ir::SegmentedReduce>(statements[k].operation);
    if (!together) emit_statement(c, statements[k]);
  }
  const ir::Statement* const outer = c.host_statement;
  const LocationScope here(c, statements[first].location);
  c.host_statement = &statements[first];
  std::vector<Place> totals;
  for (std::size_t k = 0; k < compaction->counts.size(); ++k) {
    totals.push_back(new_array(c, ir::scalar_of(ScalarType::i64), "total"));
  }
  if (c.has_kernels()) {
    append_all_on_gpu(c, *compaction, plan->width, totals);
  } else {
    append_all(c, *compaction, plan->width, totals);
  }
  for (std::size_t k = 0; k < totals.size(); ++k) {
    load_into(c, compaction->counts[k].result, totals[k], {}, ScalarType::i64);
  }
  for (const plan::Compaction::List& list : compaction->lists) {
    for (const plan::Compaction::Target& target : list.targets) {
      c.arrays.bind(target.result, c.arrays.place_of(target.destination));
    }
  }
  c.host_statement = outer;
  return count;
}

}  // namespace dagaz::emit
