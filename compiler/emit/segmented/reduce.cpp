// Reductions along the innermost dimension of a space.
//
// Each segment is cut into pieces (one, where there are enough segments); a first parallel
// loop reduces the pieces, a second combines the partial results of each segment in order.  That
// is how a CPU does it, and how a GPU reduces arrays: there the partial results are many, and
// threads combine groups of them first, in place.  On a CPU the only piece of a segment is reduced
// to where its total is wanted.
#include "emit/segmented/reduce.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "emit/gpu/columns.h"
#include "emit/gpu/product_tiles.h"
#include "emit/gpu/reduce.h"
#include "emit/host/interchange.h"
#include "emit/host/streams.h"
#include "emit/lanes/reduce.h"
#include "emit/lanes/segments.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "emit/versions.h"
#include "plan/joined_sums.h"
#include "plan/lane_values.h"
#include "plan/sums_in_turn.h"

namespace dagaz::emit {

static void reduce_pieces(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                          const Pieces& pieces, const Operand& cost,
                          const std::vector<Destination>& mapped,
                          const std::vector<Place>& partial) {
  for_each_piece(c, pieces, cost,
                 [&](const std::vector<Operand>& outer, const Operand& piece, const Operand& start,
                     const Operand& length) {
                   const std::vector<Running> running = start_reductions(c, e.operators);
                   thread_loop(c, length, !has_arrays(running), [&](const Operand& i) {
                     reduce_point(c, s, e, running, mapped, with(outer, c.add(start, i)));
                   });
                   write_all(c, partial, with(outer, piece), running_values(running));
                 });
}

// Whether what whole segments give may be written at once where it is wanted.
static bool may_write_totals(const Context& c, const Pieces& pieces,
                             const std::vector<Place>& totals) {
  return c.mode == Mode::host && !c.has_kernels() && !pieces.outer.empty() &&
         std::all_of(totals.begin(), totals.end(),
                     [](const Place& total) { return total.is_dense(); });
}

// Like partial_arrays; where segments are `whole`, these are their totals.
static std::vector<Place> partial_or_totals(Context& c, const std::vector<ir::Type>& types,
                                            const Pieces& pieces, const Operand& whole,
                                            const std::vector<Place>& totals) {
  std::vector<Place> arrays;
  for (std::size_t k = 0; k < types.size(); ++k) {
    ir::Type all = types[k];
    all.shape.insert(all.shape.begin(), pieces.count);
    all.shape.insert(all.shape.begin(), pieces.outer.begin(), pieces.outer.end());
    const NameId block = c.block_variable("partial");
    const NameId offset = c.mutable_variable("offset", ScalarType::i64, ir::i64_operand(0));
    c.branch(
        whole,
        [&] {
          c.emit(Share{block, totals[k].block});
          c.move(offset, totals[k].offset);
        },
        [&] {
          c.emit(Allocate{block, byte_count(c, all)});
        });
    c.scopes.own(block);
    arrays.push_back(row_major(c, block, offset, all.shape));
  }
  return arrays;
}

static void combine_partial(Context& c, const ir::SegmentedReduce& e,
                            const std::vector<ir::Type>& types, const Pieces& pieces,
                            const ir::InPieces& plan, const std::vector<Place>& partial,
                            const std::vector<Place>& totals) {
  const auto combined = [&](const std::vector<Operand>& outer, const Operand& first,
                            const Groups& group) {
    const std::vector<Running> running = start_reductions(c, e.operators);
    thread_loop(c, group.count, !has_arrays(running), [&](const Operand& k) {
      const Operand piece = c.add(first, c.mul(k, group.stride));
      combine_all(c, running, values_at(c, partial, types, with(outer, piece)), 0);
    });
    return running;
  };
  const Groups groups = combine_groups(
      c, CombiningRounds(plan), pieces.outer, pieces.count, PartialOrder::pieces_inside,
      [&](const std::vector<Operand>& outer, const Operand& first, const Groups& group) {
        write_all(c, partial, with(outer, first), running_values(combined(outer, first, group)));
      });
  for_each_point(c, pieces.outer, cost_of_combining(c, groups.count), "combine",
                 [&](const std::vector<Operand>& outer) {
                   write_all(c, totals, outer,
                             running_values(combined(outer, ir::i64_operand(0), groups)));
                 });
}

// The points of the largest block of lanes: what is left of a piece goes one by one.
static std::int64_t points_of_block(const ir::Schedule& schedule) {
  std::int64_t most = 1;
  for (const ir::Version& one : schedule.versions) {
    const auto* blocks = as<ir::LaneBlocks>(one.strategy);
    if (blocks != nullptr) most = std::max(most, std::int64_t{blocks->columns} * blocks->width);
  }
  return most;
}

static void reduce_by_pieces(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                             const std::vector<ir::Type>& types, const std::vector<Place>& totals,
                             const std::vector<Destination>& mapped) {
  const Operand cost = cost_of(c, e.schedule);
  const ir::InPieces plan = pieces_of(e.schedule);
  const Pieces pieces = cut_segments(c, e.space, cost, plan, points_of_block(e.schedule));
  std::optional<Operand> whole;
  if (may_write_totals(c, pieces, totals)) whole = c.equal(pieces.count, ir::i64_operand(1));
  const std::vector<Place> partial = whole ? partial_or_totals(c, types, pieces, *whole, totals)
                                           : partial_arrays(c, types, pieces);
  run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
    if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
      reduce_pieces_in_lanes(c, s, e, *blocks, pieces, cost, mapped, partial);
    } else if (const auto* tiles = as<ir::Interchanged>(strategy)) {
      reduce_pieces_interchanged(c, e, *tiles, pieces, cost, partial);
    } else if (const auto* way = as<ir::InPieces>(strategy); way != nullptr && way->streams > 1) {
      reduce_pieces_in_streams(c, e, *way, pieces, cost, partial);
    } else {
      reduce_pieces(c, s, e, pieces, cost, mapped, partial);
    }
  });
  const auto combine_pieces = [&] { combine_partial(c, e, types, pieces, plan, partial, totals); };
  if (whole) {
    host_branch(c, *whole, {}, combine_pieces);
  } else {
    combine_pieces();
  }
}

// Fetches what a segment further on reads, of arrays or of rows that the body takes of them.
static void fetch_ahead(Context& c, const ir::SegmentedReduce& e, const ir::BySegments& way,
                        const std::vector<Operand>& segment) {
  if (way.fetched.empty()) return;
  set_indices(c, e.space, with(segment, ir::i64_operand(0)));
  std::unordered_map<NameId, const ir::Statement*> rows;
  for (const ir::Statement& one : e.body.statements) {
    const NameId result = one.results[0].name;
    const ir::Type& type = c.names().type(result);
    if (type.is_array()) rows.emplace(result, &one);
    const auto& fetched = way.fetched;
    if (std::find(fetched.begin(), fetched.end(), result) == fetched.end()) continue;
    const auto& read = *as<ir::Index>(one.operation);
    const auto row = rows.find(read.array);
    if (row != rows.end()) emit_statement(c, *row->second);
    fetch(c, c.arrays.place_of(read.array), read.indices, type.element, way.ahead);
  }
}

static void reduce_by_segments(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                               const ir::BySegments& way, const std::vector<Place>& totals,
                               const std::vector<Destination>& mapped) {
  const Operand cost = cost_of(c, e.schedule);
  for_each_segment(c, e.space, cost, "segred", [&](const std::vector<Operand>& segment) {
    fetch_ahead(c, e, way, segment);
    reduce_segment(c, s, e, way, totals, mapped, segment);
  });
}

// Where reduced values go; scalars of a single segment get an element of memory of their own.
static std::vector<Place> total_arrays(Context& c, const ir::Statement& s, std::size_t count) {
  std::vector<Place> totals;
  for (std::size_t k = 0; k < count; ++k) {
    const NameId name = s.results[k].name;
    const ir::Type type = c.names().type(name);
    totals.push_back(type.is_scalar() ? new_array(c, type, "total") : result_array(c, name));
  }
  return totals;
}

static void load_totals(Context& c, const ir::Statement& s, const std::vector<Place>& totals) {
  for (std::size_t k = 0; k < totals.size(); ++k) {
    const NameId name = s.results[k].name;
    if (c.names().type(name).is_scalar()) {
      load_into(c, name, totals[k], {}, c.names().type(name).element);
    }
  }
}

// Blocks whose lanes are segments.
static const ir::LaneBlocks* segments_of(const ir::Strategy& strategy,
                                         const ir::SegmentedReduce& e) {
  const auto* blocks = as<ir::LaneBlocks>(strategy);
  return blocks != nullptr && plan::are_segments(*blocks, e) ? blocks : nullptr;
}

// Whether all versions reduce pieces first, whose results one loop combines.
static bool is_by_pieces(const Context& c, const ir::SegmentedReduce& e) {
  const std::vector<ir::Version>& versions = e.schedule.versions;
  return std::none_of(versions.begin(), versions.end(), [&](const auto& one) {
    return as<ir::Contraction>(one.strategy) || as<ir::Teams>(one.strategy) ||
           as<ir::BySegments>(one.strategy) || as<ir::StagedTiles>(one.strategy) ||
           segments_of(one.strategy, e) ||
           (c.has_kernels() && as<ir::Interchanged>(one.strategy));
  });
}

// A reduction with one version, in its way.
static void reduce_so(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                      const std::vector<ir::Type>& types, const std::vector<Place>& totals,
                      const std::vector<Destination>& mapped) {
  const ir::Strategy& strategy = e.schedule.versions[0].strategy;
  const auto* columns = c.has_kernels() ? as<ir::Interchanged>(strategy) : nullptr;
  if (const auto* product = as<ir::Contraction>(strategy)) {
    const std::vector<ir::SpaceDimension> outer(e.space.begin(), e.space.end() - 1);
    ProductTiles(c,
                 {outer, plan::tile_sums(e, c.names()).value(),
                  [&](const std::vector<Operand>& point, const std::vector<Value>& sums) {
                    write_all(c, totals, point, sums);
                  }},
                 *product)
        .run();
  } else if (const auto* teams = as<ir::Teams>(strategy)) {
    const auto joined = teams->joined ? plan::joined_sums(e, c.names()) : std::nullopt;
    const ir::SegmentedReduce& whole = joined ? *joined : e;
    const std::size_t levels = 1 + whole.space.size() - e.space.size();
    reduce_by_teams(c, s, whole, levels, *teams, types, totals, mapped);
  } else if (columns != nullptr) {
    ColumnReduction(c, s, e, *columns, totals, mapped).run();
  } else if (const auto* tiles = as<ir::StagedTiles>(strategy)) {
    reduce_in_staged_tiles(c, s, e, *tiles, totals, mapped);
  } else if (const auto* way = as<ir::BySegments>(strategy)) {
    reduce_by_segments(c, s, e, *way, totals, mapped);
  } else if (const auto* segments = segments_of(strategy, e)) {
    reduce_segments_in_lanes(c, s, e, *segments, totals);
  } else {
    reduce_by_pieces(c, s, e, types, totals, mapped);
  }
}

void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e) {
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : e.operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  const std::vector<Destination> mapped = result_targets(c, s, types.size());
  const std::vector<Place> totals = total_arrays(c, s, types.size());
  const ir::Schedule* const outer =
      std::exchange(c.schedule, c.mode == Mode::host ? &e.schedule : c.schedule);
  if (c.mode != Mode::host || is_by_pieces(c, e)) {
    reduce_by_pieces(c, s, e, types, totals, mapped);
  } else {
    const std::vector<ir::Version>& versions = e.schedule.versions;
    run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
      const auto number =
          std::find_if(versions.begin(), versions.end(),
                       [&](const ir::Version& one) { return &one.strategy == &strategy; }) -
          versions.begin();
      ir::Statement copied = copy_of(c, e);
      auto& own = *as<ir::SegmentedReduce>(copied.operation);
      // The copy's schedule has its names.
      own.schedule.versions = {
          {{}, own.schedule.versions[static_cast<std::size_t>(number)].strategy}};
      reduce_so(c, s, own, types, totals, mapped);
    });
  }
  c.schedule = outer;
  load_totals(c, s, totals);
}

void with_point(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                std::size_t reduced, const std::vector<Destination>& mapped,
                const std::vector<Operand>& point,
                const std::function<void(const std::vector<Value>&)>& use) {
  set_indices(c, e.space, point);
  std::vector<Destination> destinations(reduced);
  const PointTargets at = at_point(c, mapped, point);
  destinations.insert(destinations.end(), at.rows.begin(), at.rows.end());
  emit_body(c, e.body, destinations, [&](const std::vector<Value>& values) {
    put_point(c, s, reduced, at,
              {values.begin() + static_cast<std::ptrdiff_t>(reduced), values.end()});
    use({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(reduced)});
  });
}

void reduce_segment(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                    const ir::Iterations& way, const std::vector<Place>& totals,
                    const std::vector<Destination>& mapped, const std::vector<Operand>& segment) {
  const std::vector<Running> running = start_reductions(c, e.operators);
  thread_loop(c, e.space.back().extent, way,
              [&](const Operand& i) { reduce_point(c, s, e, running, mapped, with(segment, i)); });
  write_all(c, totals, segment, running_values(running));
}

void reduce_point(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                  const std::vector<Running>& running, const std::vector<Destination>& mapped,
                  const std::vector<Operand>& point) {
  with_point(c, s, e, running_values(running).size(), mapped, point,
             [&](const std::vector<Value>& values) { combine_all(c, running, values, 0); });
}

}  // namespace dagaz::emit
