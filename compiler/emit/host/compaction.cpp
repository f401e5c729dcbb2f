// Filters: plan/compaction.cpp says which statements they are, and gpu/compaction.cpp how a GPU
// runs them.
//
// Tasks take links of the points in turn (segmented/links.h), and know of each where it begins to
// write, and where the next one does.  Up to there lanes are stored as a whole: those behind what
// stays are written over by what comes next.  The last link knows how much is kept.
//
// Where the arrays are large, lanes go to a strip in the first cache, as results of maps do
// (strips.h), and once it is full past the caches; what is read is fetched ahead.  Where they are
// not, the same code stores where the list goes on.
#include "emit/host/compaction.h"

#include <algorithm>
#include <limits>

#include "emit/context/location_scope.h"
#include "emit/gpu/compaction.h"
#include "emit/host/strips.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/segmented/links.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"
#include "ir/reads.h"
#include "plan/compaction.h"
#include "plan/copies.h"

namespace dagaz::emit {

namespace {

/// Where a list goes on, and where it has to stop.
struct End {
  NameId next;
  NameId limit;
};

/// Where the lanes of a list are put: its strips, of so many `elements`, of which one begins at
/// `begin` and is copied from `first` on when it reaches `full`; or the arrays themselves.
struct Strip {
  std::int64_t elements = 1;
  Operand large;
  std::vector<Place> made;
  std::vector<NameId> buffers;
  NameId begin;
  NameId first;
  NameId full;
};

struct CompactionLoop {
  const plan::Compaction& compaction;
  std::vector<std::vector<Place>> places;  // of the targets of each list
  std::vector<Operand> large;              // lists whose arrays are
  std::vector<End> ends;
  std::vector<Strip> strips;
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

// Past the caches what a list has put to its strips, up to `end`.
static void copy_strip(Context& c, const CompactionLoop& loop, std::size_t k, const Operand& end) {
  const Strip& strip = loop.strips[k];
  const Operand last = c.minimum(end, loop.ends[k].limit);
  for (std::size_t t = 0; t < strip.buffers.size(); ++t) {
    c.emit(CopyElements{loop.places[k][t].block, element_at(c, loop.places[k][t], {strip.first}),
                        strip.buffers[t], c.sub(strip.first, strip.begin), c.sub(last, strip.first),
                        type_of(c, loop.compaction.lists[k].targets[t]), true});
  }
}

// A strip is full: the next one begins with what is behind its end.
static void next_strip(Lanes& l, const CompactionLoop& loop, std::size_t k) {
  Context& c = l.c;
  const Strip& strip = loop.strips[k];
  copy_strip(c, loop, k, strip.full);
  const Operand one = ir::i64_operand(1);
  for (std::size_t t = 0; t < strip.buffers.size(); ++t) {
    const ScalarType type = type_of(c, loop.compaction.lists[k].targets[t]);
    const NameId rest = lane_variable(l, "rest", type);
    c.emit(LoadLanes{rest, strip.buffers[t], ir::i64_operand(strip.elements), one, type});
    c.emit(StoreLanes{strip.buffers[t], ir::i64_operand(0), one, rest, type});
  }
  c.move(strip.begin, strip.full);
  c.move(strip.first, strip.full);
  c.move(strip.full, c.add(strip.full, ir::i64_operand(strip.elements)));
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
  const Strip& strip = loop.strips[k];
  const Operand at = c.sub(end.next, strip.begin);
  const auto store_all = [&](const std::optional<Operand>& inside) {
    for (std::size_t t = 0; t < kept.size(); ++t) {
      store_kept(l, strip.made[t], at, kept[t], type_of(c, list.targets[t]), inside);
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
  c.branch(c.less(c.sub(strip.full, ir::i64_operand(1)), end.next),
           [&] { next_strip(l, loop, k); });
}

// What the lanes from `first` on read in order, so far ahead; once what both a condition and a value
// read.
static void fetch_ahead(Context& c, const plan::Compaction& compaction, const Operand& first,
                        const Operand& ahead) {
  const auto bytes = plan::bytes_ahead(c.settings);
  if (!bytes) return;
  std::vector<Place> fetched;
  for (const ir::Statement& one : compaction.body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    if (read == nullptr || read->indices.size() != 1 || !c.arrays.has_place(read->array)) continue;
    const bool in_order =
        std::any_of(compaction.indices.begin(), compaction.indices.end(),
                    [&](NameId index) { return read->indices[0] == Operand(index); });
    const Place& place = c.arrays.place_of(read->array);
    if (!in_order || !is_constant(place.strides[0], 1)) continue;
    if (std::find(fetched.begin(), fetched.end(), place) != fetched.end()) continue;
    fetched.push_back(place);
    const ScalarType type = c.names().type(read->array).element;
    const Operand near = ir::i64_operand(*bytes / ir::byte_size(type));
    const Operand at = c.add(element_at(c, place, {first}), ahead_or(c, ahead, near));
    c.emit(Fetch{place.block, at, type});
  }
}

// The strips of a list that goes on at `next`.  They begin where lines of the arrays do.
static Strip strip_of_list(Context& c, const CompactionLoop& loop, std::size_t k, int width) {
  const std::vector<plan::Compaction::Target>& targets = loop.compaction.lists[k].targets;
  std::int64_t largest = 1;
  for (const auto& one : targets) {
    largest = std::max<std::int64_t>(largest, ir::byte_size(type_of(c, one)));
  }
  const std::int64_t bytes = loop.compaction.scan->schedule.strip;
  Strip strip{std::max<std::int64_t>(bytes / largest, width), loop.large[k], {}, {}, {}, {}, {}};
  const Operand zero = ir::i64_operand(0);
  const Operand elements = ir::i64_operand(strip.elements);
  const Operand next = loop.ends[k].next;
  const Operand begin = c.sub(next, c.remainder(next, elements));
  const auto if_large = [&](const Operand& yes, const Operand& no) {
    return c.scalar(ScalarOp::select, ScalarType::i64, {strip.large, yes, no});
  };
  strip.begin = c.mutable_variable("begin", ScalarType::i64, if_large(begin, zero));
  strip.first = c.mutable_variable("first", ScalarType::i64, next);
  const Operand never = ir::i64_operand(std::numeric_limits<std::int64_t>::max());
  strip.full = c.mutable_variable("full", ScalarType::i64, if_large(c.add(begin, elements), never));
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const ScalarType type = type_of(c, targets[t]);
    strip.buffers.push_back(c.block_variable("strip"));
    c.emit(AllocateLocal{strip.buffers.back(), (strip.elements + width) * ir::byte_size(type)});
    strip.made.push_back(
        strip_of_row(c, strip.large, strip.buffers.back(), loop.places[k][t], zero, type));
  }
  return strip;
}

static void append_in_lanes(Context& c, CompactionLoop& loop, int width, const Link& link,
                            const Operand& blocks) {
  const Operand span = ir::i64_operand(width);
  ir::LaneBlocks plan;
  plan.width = width;
  loop.strips.clear();
  for (std::size_t k = 0; k < loop.ends.size(); ++k) {
    loop.strips.push_back(strip_of_list(c, loop, k, width));
  }
  thread_loop(c, blocks, false, [&](const Operand& b) {
    Lanes lanes(c, plan);
    const Operand first = c.add(link.start, c.mul(b, span));
    c.branch(loop.large[0], [&] { fetch_ahead(c, loop.compaction, first, link.ahead); });
    for (const NameId index : loop.compaction.indices) {
      bind_index(lanes, index, first, false, true);
    }
    const std::vector<LaneResult> results = emit_body(lanes, loop.compaction.body, {});
    for (std::size_t k = 0; k < loop.ends.size(); ++k) append_lanes(lanes, loop, k, results);
  });
  for (std::size_t k = 0; k < loop.ends.size(); ++k) {
    c.branch(loop.large[k], [&] { copy_strip(c, loop, k, loop.ends[k].next); });
  }
}

static void append_link(Context& c, CompactionLoop& loop, int width, const Link& link) {
  const auto& [start, length] = std::tie(link.start, link.length);
  Operand done = ir::i64_operand(0);
  if (width > 1) {
    const Operand span = ir::i64_operand(width);
    const Operand blocks = c.divide(length, span);
    append_in_lanes(c, loop, width, link, blocks);
    done = c.mul(blocks, span);
  }
  thread_loop(c, c.sub(length, done), false, [&](const Operand& i) {
    append_point(c, loop, c.add(c.add(start, done), i));
  });
}

// A list of a link ends where that of the next one begins, and no later than its arrays.
static std::vector<End> ends_of_link(Context& c, const plan::Compaction& compaction,
                                     const Link& link) {
  const std::vector<Value> before = running_values(link.before);
  const std::vector<Value> behind = running_values(link.behind);
  std::vector<End> ends;
  for (const plan::Compaction::List& list : compaction.lists) {
    const End end{c.mutable_variable("next", ScalarType::i64, before[list.scanned].operand),
                  c.mutable_variable("limit", ScalarType::i64, list.size)};
    c.branch(
        link.is_last, [] {},
        [&] { c.move(end.limit, c.minimum(list.size, behind[list.scanned].operand)); });
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
  CompactionLoop loop{compaction, {}, {}, {}, {}};
  for (const plan::Compaction::List& list : compaction.lists) {
    loop.places.emplace_back();
    std::int64_t bytes = ir::bytes_read(compaction.body, c.known.iotas, c.names());
    bool are_rows = scan.schedule.strip > 0;
    for (const plan::Compaction::Target& target : list.targets) {
      const Place& place = c.arrays.place_of(target.destination);
      loop.places.back().push_back(place);
      are_rows = are_rows && is_constant(place.strides[0], 1);
      bytes += ir::byte_size(type_of(c, target));
    }
    const Operand all = c.mul(list.size, ir::i64_operand(bytes));
    loop.large.push_back(are_rows ? are_large(c, all) : ir::make_bool(false));
  }
  for_each_link(c, scan, cost, nullptr, [&](const Link& link) {
    c.thread.uses_memory = true;
    loop.ends = ends_of_link(c, compaction, link);
    append_link(c, loop, width, link);
    c.branch(link.is_last, [&] { write_totals(c, loop, totals); });
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
