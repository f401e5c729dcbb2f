// Scans along the innermost dimension of a space: short segments as a whole by a task or thread,
// others in pieces.
//
// CPU: segments are cut into pieces as for reductions.  With more than one piece, a first loop
// reduces every piece; the running value before each piece is then known, and a last loop scans
// all pieces at once.  The body runs twice, which costs less than storing its values would.  Before
// the only piece of a segment there is nothing, which need not be stored for each.
#include "emit/segmented/scan.h"

#include <functional>

#include "emit/gpu/look_back.h"
#include "emit/gpu/scan.h"
#include "emit/host/strips.h"
#include "emit/lanes/scan.h"
#include "emit/memory/allocation.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "emit/versions.h"
#include "plan/operators.h"

namespace dagaz::emit {

// Hands on the whole blocks of the points from `low` to `high`; the first point behind them.
static Operand for_blocks(Context& c, const ir::LaneBlocks* lanes,
                          const std::vector<Operand>& outer, const Operand& low,
                          const Operand& high,
                          const std::function<void(const ScannedBlocks&)>& use) {
  if (lanes == nullptr) return low;
  const Operand width = ir::i64_operand(lanes->width);
  const Operand count = c.divide(c.sub(high, low), width);
  use({outer, low, count});
  return c.add(low, c.mul(count, width));
}

void reduce_pieces(Context& c, const ir::SegmentedScan& e, const Pieces& pieces,
                   const Operand& cost, const std::vector<Place>& partial,
                   const ir::LaneBlocks* lanes) {
  host_branch(c, c.less(ir::i64_operand(1), pieces.count), [&] {
    const ir::Statement copied = copy_of(c, e);
    const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
    for_each_piece(c, pieces, cost,
                   [&](const std::vector<Operand>& outer, const Operand& piece,
                       const Operand& start, const Operand& length) {
                     const std::vector<Running> running = start_scans(c, fresh.operators);
                     const Operand end = c.add(start, length);
                     const auto combine = [&](const ScannedBlocks& blocks) {
                       combine_blocks(c, fresh, *lanes, blocks, running);
                     };
                     const Operand first = for_blocks(c, lanes, outer, start, end, combine);
                     thread_loop(c, c.sub(end, first), !has_arrays(running), [&](const Operand& i) {
                       set_indices(c, fresh.space, with(outer, c.add(first, i)));
                       emit_body(c, fresh.body, {}, [&](const std::vector<Value>& values) {
                         combine_all(c, running, values, 0);
                       });
                     });
                     write_all(c, partial, with(outer, piece), running_values(running));
                   });
  });
}

// The running value of a piece behind `initial`.
static void start_behind(Context& c, const ir::ScanOperator& scan, const Running& running,
                         const std::vector<Value>& initial) {
  if (plan::starts_as_a_number(scan.op)) {
    combine_all(c, {running}, initial, 0);
  } else {
    set_running(c, running, initial);
  }
}

// The values before each piece, in arrays that are empty where all segments are `whole`.
static std::vector<Place> values_before_pieces(Context& c, const ir::SegmentedScan& e,
                                               const std::vector<ir::Type>& types,
                                               const Pieces& pieces, const Operand& cost,
                                               const Operand& whole,
                                               const ir::LaneBlocks* lanes) {
  const Operand none = ir::i64_operand(0);
  const Operand count = c.scalar(ScalarOp::select, ScalarType::i64, {whole, none, pieces.count});
  const std::vector<Place> before =
      partial_arrays(c, types, {pieces.outer, pieces.width, count, pieces.chunk});
  const bool in_lanes = lanes != nullptr && lanes->totals;
  reduce_pieces(c, e, pieces, cost, before, in_lanes ? lanes : nullptr);
  host_branch(c, whole, {}, [&] { exclusive_over_pieces(c, e, pieces, before, types); });
  return before;
}

// What the operators have before a piece.
static std::vector<Running> running_before(Context& c, const ir::SegmentedScan& e,
                                           const std::vector<ir::Type>& types,
                                           const std::vector<Place>& before, const Operand& whole,
                                           const std::vector<Operand>& piece) {
  const std::vector<Running> running = start_scans(c, e.operators);
  c.branch(whole, [] {}, [&] {
    const std::vector<Value> initial = values_at(c, before, types, piece);
    std::size_t position = 0;
    for (std::size_t k = 0; k < running.size(); ++k) {
      const auto from = initial.begin() + static_cast<std::ptrdiff_t>(position);
      const auto count = static_cast<std::ptrdiff_t>(running[k].values.size());
      start_behind(c, e.operators[k], running[k], {from, from + count});
      position += running[k].values.size();
    }
  });
  return running;
}

// The points from `low` to `high` behind `running`.
static void scan_stretch(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                         const std::vector<Destination>& targets, const ir::LaneBlocks* lanes,
                         const std::vector<Operand>& outer, const Operand& low,
                         const Operand& high, const std::vector<Running>& running) {
  const auto scan = [&](const ScannedBlocks& blocks) {
    scan_blocks(c, s, e, *lanes, targets, blocks, running);
  };
  const Operand first = for_blocks(c, lanes, outer, low, high, scan);
  thread_loop(c, c.sub(high, first), !has_arrays(running), [&](const Operand& i) {
    scan_point(c, s, e, running, targets, with(outer, c.add(first, i)));
  });
}

static void scan_by_pieces(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                           const std::vector<ir::Type>& types,
                           const std::vector<Destination>& targets, const ir::LaneBlocks* lanes) {
  const Operand cost = cost_of(c, e.schedule);
  const Pieces pieces = cut_segments(c, e.space, cost, pieces_of(e.schedule));
  const Operand whole = c.equal(pieces.count, ir::i64_operand(1));
  const std::vector<Place> before = values_before_pieces(c, e, types, pieces, cost, whole, lanes);
  const Strips strips(c, s, e.schedule, targets, extents_of(e.space));
  for_each_piece(
      c, pieces, cost,
      [&](const std::vector<Operand>& outer, const Operand& piece, const Operand& start,
          const Operand& length) {
        const std::vector<Running> running =
            running_before(c, e, types, before, whole, with(outer, piece));
        const auto stretch = [&](const std::vector<Destination>& to, const Operand& low,
                                 const Operand& high) {
          scan_stretch(c, s, e, to, lanes, outer, low, high, running);
        };
        strips.run(outer, start, c.add(start, length), stretch);
      });
}

static void scan_by_segments(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                             const ir::BySegments& way, const std::vector<Destination>& targets) {
  const Operand cost = cost_of(c, e.schedule);
  for_each_segment(c, e.space, cost, "segscan", [&](const std::vector<Operand>& segment) {
    const std::vector<Running> running = start_scans(c, e.operators);
    const LoopHints hints{.independent = !has_arrays(running), .rolled = way.rolled};
    thread_loop(c, e.space.back().extent, hints,
                [&](const Operand& i) { scan_point(c, s, e, running, targets, with(segment, i)); });
  });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedScan& e) {
  std::vector<ir::Type> types;
  for (const ir::ScanOperator& one : e.operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  const std::vector<Destination> targets = result_targets(c, s, 0);
  const std::vector<ir::Version>& versions = e.schedule.versions;
  const bool in_pieces = versions.size() == 1 && as<ir::InPieces>(versions[0].strategy);
  if (c.mode != Mode::host || in_pieces) {
    scan_by_pieces(c, s, e, types, targets, nullptr);
    return;
  }
  run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
    const ir::Statement copied = copy_of(c, e);
    const auto& own = *as<ir::SegmentedScan>(copied.operation);
    match(
        strategy,
        [&](const ir::LookBack& look_back) {
          scan_in_one_pass(c, s, own, look_back, types, targets);
        },
        [&](const ir::InStages& stages) { scan_in_stages(c, s, own, stages, types, targets); },
        [&](const ir::BySegments& way) { scan_by_segments(c, s, own, way, targets); },
        [&](const ir::InPieces&) { scan_by_pieces(c, s, own, types, targets, nullptr); },
        [&](const ir::LaneBlocks& lanes) { scan_by_pieces(c, s, own, types, targets, &lanes); },
        [&](const auto&) { DZ_UNREACHABLE("no strategy for a scan"); });
  });
}

void scan_point(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                const std::vector<Running>& running, const std::vector<Destination>& targets,
                const std::vector<Operand>& point) {
  set_indices(c, e.space, point);
  const std::size_t scanned = running_values(running).size();
  const PointTargets at = at_point(c, targets, point);
  std::vector<Destination> destinations;
  if (!e.post) {
    destinations.assign(scanned, std::nullopt);
    destinations.insert(destinations.end(), at.rows.begin() + static_cast<std::ptrdiff_t>(scanned),
                        at.rows.end());
  }
  emit_body(c, e.body, destinations, [&](const std::vector<Value>& values) {
    combine_all(c, running, values, 0);
    std::vector<Value> outputs = running_values(running);
    outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(scanned),
                   values.end());
    if (e.post) {
      emit_lambda(c, *e.post, outputs, at.rows,
                  [&](const std::vector<Value>& results) { put_point(c, s, 0, at, results); });
    } else {
      put_point(c, s, 0, at, outputs);
    }
  });
}

void exclusive_over_pieces(Context& c, const ir::SegmentedScan& e, const Pieces& pieces,
                           const std::vector<Place>& partial, const std::vector<ir::Type>& types) {
  for_each_point(c, pieces.outer, cost_of_combining(c, pieces.count), "carry",
                 [&](const std::vector<Operand>& outer) {
                   const std::vector<Running> running = start_scans(c, e.operators);
                   std::vector<Place> held;
                   for (const ir::Type& type : types)
                     held.push_back(private_array(c, type, "held"));
                   const Operand last = c.sub(pieces.count, ir::i64_operand(1));
                   thread_loop(c, last, false, [&](const Operand& piece) {
                     write_all(c, held, {}, values_at(c, partial, types, with(outer, piece)));
                     write_all(c, partial, with(outer, piece), running_values(running));
                     combine_all(c, running, values_at(c, held, types, {}), 0);
                   });
                   write_all(c, partial, with(outer, last), running_values(running));
                 });
}

}  // namespace dagaz::emit
