// Histograms and scatters over a space.
//
// Those of numbers are maps that accumulate by now on a CPU (passes/flatten/accumulation).  In
// pieces, every piece of the elements fills bins of its own, which are then combined bin by bin;
// where the elements are no more than the bins there is one piece, which fills the destination.  By
// segments, these run in parallel with each other.  What threads of a GPU do together is in
// gpu/block_bins.cpp and gpu/locked_bins.cpp.  Scatters write straight to their destination.
#include "emit/context/context.h"
#include "emit/gpu/block_bins.h"
#include "emit/gpu/locked_bins.h"
#include "emit/host/held_blocks.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/atomics.h"
#include "emit/thread/combine.h"
#include "emit/thread/loops.h"
#include "emit/thread/parallel_operations.h"
#include "emit/versions.h"

namespace dagaz::emit {

static void bind_destinations(Context& c, const ir::Statement& s,
                              const std::vector<ir::HistogramOperator>& operators,
                              std::vector<std::vector<Place>>& places) {
  std::size_t result = 0;
  for (const ir::HistogramOperator& one : operators) {
    places.emplace_back();
    for (const NameId destination : one.destinations) {
      places.back().push_back(c.arrays.place_of(destination));
      c.arrays.bind(s.results[result++].name, c.arrays.place_of(destination));
    }
  }
}

static std::vector<std::vector<Place>> parts_at(Emitter& emitter,
                                                const std::vector<std::vector<Place>>& places,
                                                const std::vector<Operand>& outer) {
  std::vector<std::vector<Place>> parts = places;
  for (std::vector<Place>& one : parts) {
    for (Place& place : one) place = part_at(emitter, place, outer);
  }
  return parts;
}

// What the body gives: for each operator the indices of a bin, and values.
static std::vector<ir::Type> types_given(const std::vector<ir::HistogramOperator>& operators) {
  std::vector<ir::Type> types;
  for (const ir::HistogramOperator& one : operators) {
    types.insert(types.end(), one.shape.size(), ir::scalar_of(ScalarType::i64));
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  return types;
}

static void histogram_elements(Context& c, const ir::SegmentedHistogram& e,
                               const std::vector<std::vector<Place>>& bins,
                               const std::vector<Operand>& outer, const Operand& start,
                               const Operand& count) {
  const ir::Statement copied = copy_of(c, e);
  const auto& fresh = *as<ir::SegmentedHistogram>(copied.operation);
  const auto point = [&](const Operand& i) { return with(outer, c.add(start, i)); };
  const auto step = [&](const std::vector<Value>& values) {
    histogram_step(c, fresh.operators, bins, values);
  };
  const std::vector<ir::Type> types = types_given(e.operators);
  if (const auto* blocks = as<ir::HeldBlocks>(e.schedule.versions.back().strategy)) {
    in_blocks(c, count, *blocks, {fresh.space, fresh.body, {}, types, point}, step);
    return;
  }
  thread_loop(c, count, false, [&](const Operand& i) {
    set_indices(c, fresh.space, point(i));
    emit_body(c, fresh.body, {}, step);
  });
}

// A thread for each segment.
static void histogram_by_segments(Context& c, const ir::SegmentedHistogram& e,
                                  const std::vector<std::vector<Place>>& places) {
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const Operand cost = cost_of(c, e.schedule);
  for_each_point(c, outer, c.mul(cost, width), "hist", [&](const std::vector<Operand>& point) {
    histogram_elements(c, e, parts_at(c, places, point), point, ir::i64_operand(0), width);
  });
}

static void fill_bins(Context& c, const ir::HistogramOperator& one,
                      const std::vector<Place>& bins) {
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const Value neutral = value_of(c, one.neutral[k]);
    nested_loops(c, one.shape,
                 [&](const std::vector<Operand>& bin) { write(c, bins[k], bin, neutral); });
  }
}

// Fills private bins [pieces × shape] and combines them into the destinations.
static void fill_pieces(Context& c, const ir::SegmentedHistogram& e,
                        const std::vector<std::vector<Place>>& places, const ir::InPieces& plan,
                        const Operand& width, const Operand& pieces) {
  std::vector<std::vector<Place>> own_bins;
  for (const ir::HistogramOperator& one : e.operators) {
    own_bins.emplace_back();
    for (const NameId destination : one.destinations) {
      ir::Type type = c.names().type(destination);
      type.shape.insert(type.shape.begin(), pieces);
      own_bins.back().push_back(new_array(c, type, "bins"));
    }
  }
  const Operand chunk = c.divide_up(width, pieces);
  const Operand cost = c.mul(chunk, cost_of(c, e.schedule));
  for_each_point(c, {pieces}, cost, "hist", [&](const std::vector<Operand>& piece) {
    const auto bins = parts_at(c, own_bins, piece);
    for (std::size_t k = 0; k < e.operators.size(); ++k) fill_bins(c, e.operators[k], bins[k]);
    const Operand start = c.mul(piece[0], chunk);
    const Operand left = c.maximum(c.sub(width, start), ir::i64_operand(0));
    histogram_elements(c, e, bins, {}, start, c.minimum(chunk, left));
  });
  for (std::size_t k = 0; k < e.operators.size(); ++k) {
    const ir::HistogramOperator& one = e.operators[k];
    const auto combine_pieces = [&](const std::vector<Place>& into, const std::vector<Operand>& bin,
                                    const Operand& first, const Groups& group) {
      thread_loop(c, group.count, false, [&](const Operand& piece) {
        std::vector<Operand> point = {c.add(first, c.mul(piece, group.stride))};
        point.insert(point.end(), bin.begin(), bin.end());
        combine_at(c, one.op, into, bin, values_at(c, own_bins[k], one.op.result_types, point));
      });
    };
    const Groups groups = combine_groups(
        c, CombiningRounds(plan), one.shape, pieces, PartialOrder::segments_inside,
        [&](const std::vector<Operand>& bin, const Operand& first, const Groups& group) {
          const Groups others{c.sub(group.count, ir::i64_operand(1)), group.stride};
          combine_pieces(parts_at(c, {own_bins[k]}, {first})[0], bin, c.add(first, group.stride),
                         others);
        });
    for_each_point(c, one.shape, cost_of_combining(c, groups.count), "hist_combine",
                   [&](const std::vector<Operand>& bin) {
                     combine_pieces(places[k], bin, ir::i64_operand(0), groups);
                   });
  }
}

// Pieces of the elements fill bins of their own, if there are enough elements for several.
static void histogram_by_pieces(Context& c, const ir::SegmentedHistogram& e,
                                const std::vector<std::vector<Place>>& places,
                                const ir::InPieces& plan) {
  if (e.schedule.least_piece.empty()) {
    histogram_by_segments(c, e, places);
    return;
  }
  const Operand width = e.space.back().extent;
  const Operand least = sum_of(c, e.schedule.least_piece);
  const Operand cost = cost_of(c, e.schedule);
  const Operand wanted = piece_count(c, ir::i64_operand(1), width, cost, plan);
  const Operand pieces = c.minimum(wanted, c.divide(width, least));
  const ir::Statement copied = copy_of(c, e);
  host_branch(
      c, c.less(ir::i64_operand(1), pieces),
      [&] { fill_pieces(c, e, places, plan, width, pieces); },
      [&] { histogram_by_segments(c, *as<ir::SegmentedHistogram>(copied.operation), places); });
}

static void histogram_atomically(Context& c, const ir::SegmentedHistogram& e,
                                 const std::vector<std::vector<Place>>& places) {
  const Operand cost = cost_of(c, e.schedule);
  for_each_point(c, extents_of(e.space), cost, "hist", [&](const std::vector<Operand>& point) {
    set_indices(c, e.space, point);
    const auto bins = parts_at(c, places, {point.begin(), point.end() - 1});
    emit_body(c, e.body, {}, [&](const std::vector<Value>& values) {
      std::size_t position = 0;
      for (std::size_t k = 0; k < e.operators.size(); ++k) {
        const ir::HistogramOperator& one = e.operators[k];
        std::vector<Operand> indices;
        for (std::size_t d = 0; d < one.shape.size(); ++d) {
          indices.push_back(values[position++].operand);
        }
        const Value value = values[position++];
        c.branch(is_inside(c, indices, one.shape), [&] {
          combine_atomically(c, one.op, one.op.result_types[0], bins[k][0], indices, value);
        });
      }
    });
  });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedHistogram& e) {
  std::vector<std::vector<Place>> places;
  bind_destinations(c, s, e.operators, places);
  if (c.mode != Mode::host) {
    histogram_by_segments(c, e, places);
    return;
  }
  run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
    const ir::Statement copied = copy_of(c, e);
    const auto& own = *as<ir::SegmentedHistogram>(copied.operation);
    match(
        strategy, [&](const ir::BlockBins& bins) { histogram_in_blocks(c, own, bins, places); },
        [&](const ir::AtomicBins&) { histogram_atomically(c, own, places); },
        [&](const ir::LockedBins& bins) { histogram_with_locks(c, own, bins, places); },
        [&](const ir::BySegments&) { histogram_by_segments(c, own, places); },
        [&](const ir::InPieces& pieces) { histogram_by_pieces(c, own, places, pieces); },
        [&](const ir::HeldBlocks&) { histogram_by_pieces(c, own, places, {}); },
        [&](const auto&) { DZ_UNREACHABLE("no strategy for a histogram"); });
  });
}

}  // namespace dagaz::emit
