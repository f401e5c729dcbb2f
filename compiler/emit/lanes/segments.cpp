// Reductions of neighbouring segments, one in each lane (plan/short_segments.h); what does not fill
// a vector goes segment by segment.
//
// The segments of a vector lie one after the other, and as many lines of them are fetched ahead
// with each of their elements as lanes read then: all of them, once.
#include "emit/lanes/segments.h"

#include <algorithm>
#include <unordered_map>

#include "emit/host/rows.h"
#include "emit/lanes/arrays.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/points.h"
#include "emit/segmented/reduce.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

namespace {

/// Elements of segments, from the first of them on.
struct Stretch {
  NameId block;
  Operand first;
  ScalarType type;
};

}  // namespace

// Where what the lanes read begins, of arrays or of rows that the body takes of them.
static std::vector<Stretch> stretches_from(Context& c, const ir::SegmentedReduce& e,
                                           const std::vector<Operand>& segment) {
  const ir::Statement copied = copy_of(c, ir::Operation(e));
  const auto& fresh = *as<ir::SegmentedReduce>(copied.operation);
  const std::vector<NameId>& fetched =
      as<ir::LaneBlocks>(fresh.schedule.versions[0].strategy)->fetched;
  std::vector<Stretch> stretches;
  if (fetched.empty()) return stretches;
  set_indices(c, fresh.space, with(segment, ir::i64_operand(0)));
  std::unordered_map<NameId, const ir::Statement*> rows;
  for (const ir::Statement& one : fresh.body.statements) {
    const NameId result = one.results[0].name;
    const ir::Type& type = c.names().type(result);
    if (type.is_array()) rows.emplace(result, &one);
    if (std::find(fetched.begin(), fetched.end(), result) == fetched.end()) continue;
    const auto& read = *as<ir::Index>(one.operation);
    if (const auto row = rows.find(read.array); row != rows.end()) emit_statement(c, *row->second);
    const Place& place = c.arrays.place_of(read.array);
    stretches.push_back({place.block, element_at(c, place, read.indices), type.element});
  }
  return stretches;
}

// The `k`-th part of what lies ahead of a stretch, of so many bytes.
static void fetch_part(Context& c, const ir::LaneBlocks& plan, const Stretch& stretch,
                       const Operand& k) {
  const std::int64_t size = ir::byte_size(stretch.type);
  const Operand part = c.mul(k, ir::i64_operand(plan.width));
  for (std::int64_t byte = 0; byte < plan.width * size; byte += c.settings.line) {
    const Operand behind = ir::i64_operand((plan.ahead + byte) / size);
    c.emit(Fetch{stretch.block, c.add(stretch.first, c.add(part, behind)), stretch.type});
  }
}

// As many segments as a vector has lanes, from this one on.
static void reduce_vector(Context& c, const ir::SegmentedReduce& e, const ir::LaneBlocks& plan,
                          const std::vector<Operand>& segment, const std::vector<Place>& totals) {
  const std::vector<Stretch> stretches = stretches_from(c, e, segment);
  ir::LaneBlocks apart = plan;  // what is fetched is so here, not at each read
  apart.fetched.clear();
  Lanes lanes(c, apart);
  std::vector<NameId> indices;
  for (std::size_t d = 0; d < segment.size(); ++d) {
    indices.push_back(e.space[d].index.name);
    bind_index(lanes, indices.back(), segment[d], false, d + 1 == segment.size());
  }
  std::vector<std::vector<LaneScalar>> running;
  for (const ir::ReduceOperator& one : e.operators) {
    running.push_back(start_running(lanes, one.neutral));
  }
  thread_loop(c, e.space.back().extent, false, [&](const Operand& k) {
    for (const Stretch& stretch : stretches) fetch_part(c, plan, stretch, k);
    bind_index(lanes, e.space.back().index.name, k, false, false);
    const std::vector<LaneResult> results = emit_body(lanes, e.body, {});
    auto next = results.begin();
    for (std::size_t o = 0; o < e.operators.size(); ++o) {
      std::vector<LaneScalar> values;
      for (std::size_t v = 0; v < running[o].size(); ++v, ++next) values.push_back(*next->scalar);
      combine(lanes, e.operators[o].op, running[o], values);
    }
  });
  auto total = totals.begin();
  for (const std::vector<LaneScalar>& values : running) {
    for (const LaneScalar& value : values) {
      store(lanes, part_at(lanes, *total++, indices), value);
    }
  }
}

void reduce_segments_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                              const ir::LaneBlocks& plan, const std::vector<Place>& totals) {
  std::vector<Operand> extents = extents_of(e.space);
  const Operand length = extents.back();
  extents.pop_back();
  const Operand width = ir::i64_operand(plan.width);
  parallel_rows(
      c, extents, c.mul(cost_of(c, e.schedule), length),
      [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
        const Operand vectors = c.divide(c.sub(high, low), width);
        thread_loop(c, vectors, false, [&](const Operand& v) {
          reduce_vector(c, e, plan, with(outer, c.add(low, c.mul(v, width))), totals);
        });
        const Operand left = c.add(low, c.mul(vectors, width));
        const ir::Statement copied = copy_of(c, ir::Operation(e));
        thread_loop(c, c.sub(high, left), false, [&](const Operand& i) {
          reduce_segment(c, s, *as<ir::SegmentedReduce>(copied.operation), {}, totals, {},
                         with(outer, c.add(left, i)));
        });
      });
}

}  // namespace dagaz::emit
