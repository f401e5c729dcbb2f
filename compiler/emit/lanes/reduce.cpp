// The first stage of reductions in blocks of lanes; what is left of a piece goes one by one.
#include "emit/lanes/reduce.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/points.h"
#include "emit/lanes/running.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/steps.h"
#include "emit/lanes/values.h"
#include "emit/points.h"
#include "emit/segmented/reduce.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "ir/value_count.h"
#include "plan/lane_values.h"

namespace dagaz::emit {

// The elements of points, combined into `totals`.
static void reduce_blocks(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                          const ir::LaneBlocks& plan, const std::vector<Destination>& mapped,
                          const PointsOfLanes& points, const std::vector<Running>& totals) {
  const std::size_t reduced = ir::value_count(e.operators);
  Lanes lanes = lanes_of_points(c, plan);
  std::vector<std::vector<LaneScalar>> running;
  for (const ir::ReduceOperator& one : e.operators)
    running.push_back(start_running(lanes, one.neutral));
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  thread_loop(c, points.count, false, [&](const Operand& step) {
    bind_points(lanes, e.space, points, step);
    std::vector<std::optional<LaneArray>> parts(reduced);
    for (const Destination& target : mapped) {
      parts.push_back(target ? std::optional(part_at(lanes, *target, indices)) : std::nullopt);
    }
    std::vector<std::optional<LaneArray>> rows = parts;
    for (auto& row : rows) {
      if (row && row->place.strides.empty()) row.reset();
    }
    prepare(lanes, e.body, std::nullopt);
    const std::vector<LaneResult> results = emit_body(lanes, e.body, rows);
    std::size_t position = 0;
    for (std::size_t k = 0; k < e.operators.size(); ++k) {
      std::vector<LaneScalar> values;
      for (std::size_t v = 0; v < running[k].size(); ++v) {
        values.push_back(*results[position++].scalar);
      }
      combine(lanes, e.operators[k].op, running[k], values);
    }
    for (std::size_t k = reduced; k < results.size(); ++k) {
      if (parts[k]) {
        put(lanes, *parts[k], results[k], e.result_types[k]);
      } else {
        continue_accumulator(lanes, s.results[k].name, e.body.results[k].name());
      }
    }
  });
  for (std::size_t k = 0; k < totals.size(); ++k) finish_running(lanes, running[k], totals[k]);
}

// How many blocks a piece has, or points of each stretch.
static Operand blocks_of_piece(Context& c, const ir::LaneBlocks& plan, const Operand& length) {
  const std::int64_t span = std::int64_t{plan.columns} * plan.width;
  if (plan::walks_stretches(plan)) return length_of_part(c, length, span, plan.block_rows);
  return c.divide(length, ir::i64_operand(span));
}

// Points of a piece, or of a link of it.
struct LinkOfPiece {
  const std::vector<Operand>& outer;
  Operand start;
  Operand length;
};

static void reduce_link(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                        const ir::LaneBlocks& plan, const LinkOfPiece& link,
                        const std::vector<Destination>& mapped,
                        const std::vector<Running>& totals) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  const Operand blocks = blocks_of_piece(c, plan, link.length);
  const PointsOfLanes points{link.outer, link.start, blocks};
  if (plan.places.empty()) {
    reduce_blocks(c, s, e, plan, mapped, points, totals);
  } else {
    reduce_by_steps(c, e, plan, points, totals);
  }
  const Operand done = c.mul(blocks, span);
  thread_loop(c, c.sub(link.length, done), false, [&](const Operand& i) {
    const Operand at = c.add(link.start, c.add(done, i));
    reduce_point(c, s, e, totals, mapped, with(link.outer, at));
  });
}

void reduce_pieces_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                            const ir::LaneBlocks& plan, const Pieces& pieces, const Operand& cost,
                            const std::vector<Destination>& mapped,
                            const std::vector<Place>& partial) {
  for_each_piece(
      c, pieces, cost,
      [&](const std::vector<Operand>& outer, const Operand& piece, const Operand& start,
          const Operand& length) {
        const std::vector<Running> totals = start_reductions(c, e.operators);
        if (plan::walks_stretches(plan) && e.schedule.link != 0) {
          const Operand most = ir::i64_operand(e.schedule.link);
          thread_loop(c, c.divide_up(length, most), false, [&](const Operand& link) {
            const Operand first = c.mul(link, most);
            const Operand count = c.minimum(most, c.sub(length, first));
            reduce_link(c, s, e, plan, {outer, c.add(start, first), count}, mapped, totals);
          });
        } else {
          reduce_link(c, s, e, plan, {outer, start, length}, mapped, totals);
        }
        write_all(c, partial, with(outer, piece), running_values(totals));
      });
}

}  // namespace dagaz::emit
