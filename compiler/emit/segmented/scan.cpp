// Scans along the innermost dimension of a space: short segments as a whole by a task or thread,
// others in pieces.
//
// Tasks of a CPU take the pieces in turn (links.h).  Threads of a GPU first reduce every piece; the
// running value before each piece is then known, and a last loop scans all pieces at once.  The
// body runs twice, which costs less than storing its values would.  Before the only piece of a
// segment there is nothing, which need not be stored for each.
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
#include "emit/segmented/links.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/running.h"
#include "emit/versions.h"
#include "plan/operators.h"

namespace dagaz::emit {

// With more than one piece: partial[piece] := the piece reduced.
static void reduce_pieces(Context& c, const ir::SegmentedScan& e, const Pieces& pieces,
                          const Operand& cost, const std::vector<Place>& partial) {
  host_branch(c, c.less(ir::i64_operand(1), pieces.count), [&] {
    const ir::Statement copied = copy_of(c, e);
    const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
    for_each_piece(c, pieces, cost,
                   [&](const std::vector<Operand>& outer, const Operand& piece,
                       const Operand& start, const Operand& length) {
                     const std::vector<Running> total =
                         total_of(c, fresh, nullptr, outer, start, length);
                     write_all(c, partial, with(outer, piece), running_values(total));
                   });
  });
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

static void scan_by_links(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                          const std::vector<Destination>& targets, const ir::LaneBlocks* lanes) {
  const Strips strips(c, s, e.schedule, targets, extents_of(e.space));
  const ir::LaneBlocks* const of_totals = lanes != nullptr && lanes->totals ? lanes : nullptr;
  for_each_link(c, e, cost_of(c, e.schedule), of_totals, [&](const Link& link) {
    const auto stretch = [&](const std::vector<Destination>& to, const Operand& low,
                             const Operand& high) {
      scan_stretch(c, s, e, to, lanes, link.outer, low, high, link.before);
    };
    strips.run(link.outer, link.start, c.add(link.start, link.length), stretch, link.ahead);
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

// The values before each piece, in arrays that are empty where all segments are `whole`.
static std::vector<Place> values_before_pieces(Context& c, const ir::SegmentedScan& e,
                                               const std::vector<ir::Type>& types,
                                               const Pieces& pieces, const Operand& cost,
                                               const Operand& whole) {
  const Operand none = ir::i64_operand(0);
  const Operand count = c.scalar(ScalarOp::select, ScalarType::i64, {whole, none, pieces.count});
  const std::vector<Place> before =
      partial_arrays(c, types, {pieces.outer, pieces.width, count, pieces.chunk});
  reduce_pieces(c, e, pieces, cost, before);
  host_branch(c, whole, {}, [&] { exclusive_over_pieces(c, e, pieces, before, types); });
  return before;
}

static void scan_by_pieces(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                           const std::vector<ir::Type>& types,
                           const std::vector<Destination>& targets) {
  const Operand cost = cost_of(c, e.schedule);
  const Pieces pieces = cut_segments(c, e.space, cost, pieces_of(e.schedule));
  const Operand whole = c.equal(pieces.count, ir::i64_operand(1));
  const std::vector<Place> before = values_before_pieces(c, e, types, pieces, cost, whole);
  for_each_piece(
      c, pieces, cost,
      [&](const std::vector<Operand>& outer, const Operand& piece, const Operand& start,
          const Operand& length) {
        const std::vector<Running> running = start_scans(c, e.operators);
        c.branch(
            whole, [] {},
            [&] { start_behind(c, e, running, values_at(c, before, types, with(outer, piece))); });
        scan_stretch(c, s, e, targets, nullptr, outer, start, c.add(start, length), running);
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
  const auto scan_in_parts = [&](const ir::SegmentedScan& scan, const ir::LaneBlocks* lanes) {
    if (c.has_kernels()) {
      scan_by_pieces(c, s, scan, types, targets);
    } else {
      scan_by_links(c, s, scan, targets, lanes);
    }
  };
  if (c.mode != Mode::host || in_pieces) {
    scan_in_parts(e, nullptr);
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
        [&](const ir::InPieces&) { scan_in_parts(own, nullptr); },
        [&](const ir::LaneBlocks& lanes) { scan_in_parts(own, &lanes); },
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

}  // namespace dagaz::emit
