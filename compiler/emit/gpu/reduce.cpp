// Reductions of scalars on a GPU, in one kernel.
//
// A team of threads reduces a segment, striding so that accesses coalesce, or in order
// (ordered.cpp): a warp where segments are short, else a block.  Where blocks outnumber segments
// they share them, and the last block of a segment to finish combines the parts (Harris,
// "Optimizing parallel reduction in CUDA", and the CUDA sample threadFenceReduction).
#include "emit/gpu/reduce.h"

#include <algorithm>

#include "emit/gpu/arrivals.h"
#include "emit/gpu/block.h"
#include "emit/gpu/counted.h"
#include "emit/gpu/kernels.h"
#include "emit/gpu/ordered.h"
#include "emit/gpu/shares.h"
#include "emit/gpu/staged_tiles.h"
#include "emit/memory/allocation.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/segmented/reduce.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

namespace {

/// Threads that reduce together: a warp or a block.
struct Team {
  Operand threads;
  Operand shift;  // the logarithm of `threads`
};

/// What a team works on, seen by one of its threads.
struct TeamPart {
  Operand rank;  // of the thread in its team
  Operand segment;
  Operand piece;
  Operand start;
  Operand length;  // 0 where there is nothing to do
  Operand leads;   // whether the thread writes for its team, which has something to do
};

/// The inside of a reduction's kernel.
struct TeamReduction {
  const std::vector<ir::ReduceOperator>& operators;
  const std::vector<ir::Type>& types;
  const Pieces& pieces;
  const Team& team;
  std::vector<Operand> neutral;
  std::vector<Place> partial;  // [segment][piece]
  Arrivals arrivals;           // at segments
  std::vector<Place> totals;
  int stretch;  // 0: the order does not matter
};

}  // namespace

static std::vector<Operand> neutral_of(const std::vector<ir::ReduceOperator>& operators) {
  std::vector<Operand> neutral;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
  }
  return neutral;
}

// A warp for segments that give each of its threads little to do, else a block.
static Team team_for(Context& c, const Pieces& pieces, const ir::Teams& teams) {
  Team team{ir::i64_operand(block_threads), ir::i64_operand(8)};
  if (pieces.outer.empty()) return team;
  const NameId threads = c.mutable_variable("team", ScalarType::i64, team.threads);
  const NameId shift = c.mutable_variable("shift", ScalarType::i64, team.shift);
  c.branch(c.less(pieces.width, ir::i64_operand(teams.warp + 1)), [&] {
    c.move(threads, ir::i64_operand(warp_threads));
    c.move(shift, ir::i64_operand(5));
  });
  return {threads, shift};
}

static TeamPart team_part(Context& c, const Pieces& pieces, const Team& team,
                          const Operand& block) {
  const Operand thread = read_special(c, Special::thread_index);
  const Operand all = c.add(c.mul(block, ir::i64_operand(block_threads)), thread);
  const Operand number = c.scalar(ScalarOp::lshr, ScalarType::i64, {all, team.shift});
  TeamPart part;
  part.rank = c.scalar(ScalarOp::bit_and, ScalarType::i64,
                       {thread, c.sub(team.threads, ir::i64_operand(1))});
  part.segment = c.divide(number, pieces.count);
  part.piece = c.remainder(number, pieces.count);
  part.start = c.mul(part.piece, pieces.chunk);
  // The last block may hold more warps than there are segments left.
  const Operand inside = c.less(part.segment, c.product(pieces.outer));
  const Operand left = c.maximum(c.sub(pieces.width, part.start), ir::i64_operand(0));
  const NameId length = c.mutable_variable("length", ScalarType::i64, ir::i64_operand(0));
  c.branch(inside, [&] { c.move(length, c.minimum(left, pieces.chunk)); });
  part.length = length;
  part.leads = c.both(inside, c.equal(part.rank, ir::i64_operand(0)));
  return part;
}

// Only blocks share segments: the last of one to arrive reduces the parts.
static void combine_parts(Context& c, TeamReduction& reduction, const TeamPart& part,
                          const std::vector<Running>& running) {
  c.branch(part.leads, [&] {
    write_all(c, reduction.partial, {part.segment, part.piece}, running_values(running));
    c.emit(Fence{});
  });
  const Operand told_at = shared_bytes_for(reduction.types);
  reduction.arrivals.arrive(part.segment, reduction.pieces.count, told_at, [&] {
    set_neutral(c, running, reduction.neutral);
    const auto combine_part = [&](const Operand& piece) {
      const std::vector<Operand> point = {part.segment, piece};
      combine_all(c, running, values_at(c, reduction.partial, reduction.types, point), 0);
    };
    for_thread_share(c, part.rank, ir::i64_operand(block_threads), reduction.pieces.count,
                     reduction.stretch == 0, combine_part);
    reduce_block(c, running, reduction.neutral);
    c.branch(part.leads, [&] {
      write_all(c, reduction.totals, c.unflatten(part.segment, reduction.pieces.outer),
                running_values(running));
    });
  });
}

// The leader holds its team's result.
static void finish_team(Context& c, TeamReduction& reduction, const TeamPart& part,
                        const std::vector<Running>& running) {
  const auto write_total = [&] {
    write_all(c, reduction.totals, c.unflatten(part.segment, reduction.pieces.outer),
              running_values(running));
  };
  c.branch(
      c.equal(reduction.pieces.count, ir::i64_operand(1)),
      [&] { c.branch(part.leads, write_total); },
      [&] { combine_parts(c, reduction, part, running); });
}

static OrderedTiles ordered_tiles(const ir::SegmentedReduce& e, const std::vector<ir::Type>& types,
                                  const CountedValues& counted, const ir::Teams& teams) {
  OrderedTiles tiles{e.operators, types, teams.stretch, (std::ssize(types) + 1) * warp_slot_bytes};
  for (std::size_t k = 0; k < types.size(); ++k) tiles.held.push_back(!counted.has(k));
  return tiles;
}

void reduce_by_teams(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                     std::size_t levels, const ir::Teams& teams, const std::vector<ir::Type>& types,
                     const std::vector<Place>& totals, const std::vector<Destination>& mapped) {
  const std::vector<Operand> extents = extents_of(e.space);
  const auto first = extents.end() - static_cast<std::ptrdiff_t>(levels);
  const std::vector<Operand> reduced(first, extents.end());
  const Pieces pieces =
      blocks_of_segments(c, {extents.begin(), first}, c.product(reduced), SharedSegments(teams));
  const Team team = team_for(c, pieces, teams);
  const Operand segments = c.product(pieces.outer);
  // Parts and their count are needed only where teams share a segment.
  const NameId sharing = c.mutable_variable("sharing", ScalarType::i64, ir::i64_operand(0));
  c.branch(c.less(ir::i64_operand(1), pieces.count), [&] { c.move(sharing, segments); });
  TeamReduction reduction{e.operators, types,       pieces, team,         neutral_of(e.operators),
                          {},          Arrivals(c), totals, teams.stretch};
  for (const ir::Type& type : types) {
    reduction.partial.push_back(
        new_array(c, ir::array_of(type.element, {sharing, pieces.count}), "partial"));
  }
  reduction.arrivals.expect(sharing);
  const Operand threads = c.mul(c.mul(segments, pieces.count), team.threads);
  const Operand blocks = c.divide_up(threads, ir::i64_operand(block_threads));
  const CountedValues counted(c, e, types.size());
  OrderedTiles tiles = ordered_tiles(e, types, counted, teams);
  BlockKernel kernel = kernel_of_blocks(c, blocks, [&](const Operand& block) {
    const TeamPart part = team_part(c, pieces, team, block);
    const std::vector<Operand> outer = c.unflatten(part.segment, pieces.outer);
    const std::vector<Running> running = start_reductions(c, e.operators);
    const auto point = [&](const Operand& i) {
      std::vector<Operand> indices = outer;
      for (const Operand& one : c.unflatten(c.add(part.start, i), reduced)) indices.push_back(one);
      return indices;
    };
    if (teams.stretch > 0) {
      tiles.values = [&](const Operand& i, const auto& use) {
        with_point(c, s, e, types.size(), mapped, point(i), use);
      };
      tiles.not_held = [&](const Operand& i, const auto& use) {
        counted.compute(c, point(i), use);
      };
      const Operand warps = c.divide(team.threads, ir::i64_operand(warp_threads));
      const Operand most = c.minimum(pieces.chunk, pieces.width);
      reduce_in_order(c, tiles, {part.rank, warps, part.length, most}, running);
    } else {
      for_thread_strides(c, part.rank, team.shift, part.length, [&](const Operand& i) {
        reduce_point(c, s, e, running, mapped, point(i));
      });
      reduce_warp(c, running, warp_threads);
    }
    c.branch(c.less(ir::i64_operand(warp_threads), team.threads),
             [&] { reduce_warps(c, running, reduction.neutral); });
    finish_team(c, reduction, part, running);
  });
  launch(c, "segred", kernel.grid, ir::i64_operand(tiles.end()), std::move(kernel.code));
}

void reduce_in_staged_tiles(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                            const ir::StagedTiles& tiles, const std::vector<Place>& totals,
                            const std::vector<Destination>& mapped) {
  const auto innermost = e.space.end() - 1;
  launch_staged_tiles(c, {{e.space.begin(), innermost}, {*innermost}, e.body}, tiles, "staged",
                      [&](const std::vector<Operand>& segment) {
                        reduce_segment(c, s, e, {}, totals, mapped, segment);
                      });
}

}  // namespace dagaz::emit
