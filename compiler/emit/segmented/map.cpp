// Perfect nests of maps.
#include "emit/lanes/map.h"
#include "emit/context/context.h"
#include "emit/contraction/panels.h"
#include "emit/gpu/block_additions.h"
#include "emit/gpu/handed_rows.h"
#include "emit/gpu/product_tiles.h"
#include "emit/gpu/radix_pass.h"
#include "emit/gpu/row_blocks.h"
#include "emit/gpu/rows.h"
#include "emit/gpu/staged_tiles.h"
#include "emit/host/accumulation_in_blocks.h"
#include "emit/host/fused_stencil.h"
#include "emit/host/interchange.h"
#include "emit/host/edges.h"
#include "emit/host/rows.h"
#include "emit/host/strips.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"
#include "plan/inner_points.h"
#include "plan/sums_in_turn.h"

namespace dagaz::emit {

static void emit_point(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                       const std::vector<Destination>& targets, const std::vector<Operand>& point) {
  set_indices(c, e.space, point);
  const PointTargets at = at_point(c, targets, point);
  emit_body(c, e.body, at.rows,
            [&](const std::vector<Value>& values) { put_point(c, s, 0, at, values); });
}

// Inner points know what others ask.
static ir::SegmentedMap at_inner_points(const ir::SegmentedMap& e, const plan::InnerPoints& inner) {
  ir::SegmentedMap known = e;
  plan::take_known(known.body, inner);
  return known;
}

// Rows of points by tasks, each in strips.
static void emit_rows(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                      const ir::Pointwise& way, const Strips& strips) {
  const auto inner = way.edges ? plan::inner_points(e, {c.names(), c.known.scalars, c.known.iotas})
                               : std::nullopt;
  parallel_rows(
      c, extents_of(e.space), cost_of(c, e.schedule),
      [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
        const auto body = [&](const std::vector<Destination>& targets, const Operand& first,
                              const Operand& last) {
          const auto points_of = [&](const ir::SegmentedMap& map) {
            return [&](const Operand& i) { emit_point(c, s, map, targets, with(outer, i)); };
          };
          if (inner) {
            const ir::SegmentedMap known = at_inner_points(e, *inner);
            row_with_edges(c, {first, last, e.space.back().extent}, *inner, way, points_of(known),
                           points_of(e));
          } else {
            thread_loop(c, c.sub(last, first), way,
                        [&](const Operand& i) { points_of(e)(c.add(first, i)); });
          }
        };
        strips.run(outer, low, high, body);
      });
}

static void emit_point_by_point(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                                const std::vector<Destination>& targets,
                                const ir::Pointwise& way) {
  if (c.mode == Mode::host && leaves_points(e)) {
    // As what blocks leave, so that one task serves both.
    const NameId first = c.mutable_variable("first", ScalarType::i64, ir::i64_operand(0));
    map_points_from(c, s, e, targets, first);
    return;
  }
  const std::vector<Operand> extents = extents_of(e.space);
  Strips strips(c, s, e.schedule, targets, extents);
  const auto directly = [&] {
    if (c.mode == Mode::host && way.edges) {
      emit_rows(c, s, e, way, Strips(c, s, {}, targets, extents));
      return;
    }
    for_each_point(c, extents, {cost_of(c, e.schedule), way}, "segmap",
                   [&](const std::vector<Operand>& point) { emit_point(c, s, e, targets, point); });
  };
  if (!strips.any()) {
    directly();
  } else if (extents.size() == 1) {
    emit_rows(c, s, e, way, strips);
  } else {
    // Rows may be short: they had better not ask whether they are strips.
    const ir::Statement copied = copy_of(c, e);
    host_branch(
        c, strips.take_large(),
        [&] { emit_rows(c, s, *as<ir::SegmentedMap>(copied.operation), way, strips); },
        directly);
  }
}

// Sums of which the map makes something.
static void emit_in_tiles(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                          const ir::Contraction& plan, const std::vector<Destination>& targets) {
  const plan::SumParts parts = plan::tile_sums(e, c.names()).value();
  const auto put = [&](const std::vector<Operand>& point, const std::vector<Value>& sums) {
    for (std::size_t k = 0; k < sums.size(); ++k) c.move(parts.sums[k], sums[k].operand);
    set_indices(c, e.space, point);
    const PointTargets at = at_point(c, targets, point);
    emit_body(c, parts.after, {},
              [&](const std::vector<Value>& values) { put_point(c, s, 0, at, values); });
  };
  ProductTiles(c, {e.space, parts, put}, plan).run();
}

void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedMap& e) {
  const std::vector<Destination> targets = result_targets(c, s, 0);
  if (c.mode != Mode::host) {
    emit_point_by_point(c, s, e, targets, {});
  } else {
    const ir::SegmentedMap* const outer = std::exchange(c.map, &e);
    const ir::Schedule* const outer_schedule = std::exchange(c.schedule, &e.schedule);
    run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
      match(
          strategy, [&](const ir::Pointwise& way) { emit_point_by_point(c, s, e, targets, way); },
          [&](const ir::LaneBlocks& blocks) { map_in_lanes(c, s, e, blocks, targets); },
          [&](const ir::Contraction& plan) {
            if (c.has_kernels()) {
              emit_in_tiles(c, s, e, plan, targets);
            } else {
              ProductPanels(c, s, e, plan, targets).run();
            }
          },
          [&](const ir::Teams& teams) { RowTeams(c, e, teams, targets).run(); },
          [&](const ir::RowBlocks& blocks) { RowBlocks(c, e, blocks, targets).run(); },
          [&](const ir::StagedTiles& tiles) {
            launch_staged_tiles(
                c, {e.space, {}, e.body}, tiles, "staged",
                [&](const std::vector<Operand>& point) { emit_point(c, s, e, targets, point); });
          },
          [&](const ir::LookBack& plan) { radix_pass(c, s, e, plan); },
          [&](const ir::Interchanged& tiles) { emit_interchanged(c, s, e, tiles, targets); },
          [&](const ir::BlockBins& bins) {
            add_in_blocks(c, e, bins, [&](const std::vector<Operand>& point) {
              emit_point(c, s, e, targets, point);
            });
          },
          [&](const ir::HeldBlocks& blocks) {
            if (c.has_kernels()) {
              HandedRows(c, s, e, blocks).run();
            } else {
              accumulate_in_blocks(c, s, e, blocks, targets);
            }
          },
          [&](const ir::FusedStencil& stencil) {
            DZ_CHECK(stencil.maps == 1, "a stencil of several maps begins elsewhere");
            emit_inner_points(c, s, stencil, targets);
          },
          [&](const auto&) { DZ_UNREACHABLE("no strategy for a map"); });
    });
    c.map = outer;
    c.schedule = outer_schedule;
  }
}

}  // namespace dagaz::emit
