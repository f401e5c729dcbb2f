// Histograms and scatters over a space.
//
// Those of numbers are maps that accumulate by now on a CPU (passes/flatten/accumulation).  In
// pieces, every piece of the elements fills bins of its own, which are then combined bin by bin;
// where the elements are no more than the bins there is one piece, which fills the destination.  By
// segments, these run in parallel with each other.  What threads of a GPU do together is in
// gpu_hist.cpp and gpu_hist_blocks.cpp.  Scatters write straight to their destination.
#include <algorithm>

#include "imperative/gpu.h"

namespace dagaz::imperative {

void Lowering::bind_destinations(const ir::Statement& s,
                                 const std::vector<ir::HistogramOperator>& operators,
                                 std::vector<std::vector<Place>>& places) {
  std::size_t result = 0;
  for (const ir::HistogramOperator& one : operators) {
    places.emplace_back();
    for (const NameId destination : one.destinations) {
      places.back().push_back(place_of(destination));
      bind(s.results[result++].name, place_of(destination));
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

void Lowering::histogram_elements(const ir::SegmentedHistogram& e,
                                  const std::vector<std::vector<Place>>& bins,
                                  const std::vector<Operand>& outer, const Operand& start,
                                  const Operand& count) {
  const ir::Statement copied = copy_of(e);
  const auto& fresh = *as<ir::SegmentedHistogram>(copied.operation);
  const auto point = [&](const Operand& i) { return with(outer, add(start, i)); };
  const auto step = [&](const std::vector<Value>& values) {
    histogram_step(fresh.operators, bins, values);
  };
  const std::vector<ir::Type> types = types_given(e.operators);
  if (const auto* blocks = as<ir::HeldBlocks>(e.schedule.versions.back().strategy)) {
    in_blocks(count, *blocks, {fresh.space, fresh.body, {}, types, point}, step);
    return;
  }
  thread_loop(count, false, [&](const Operand& i) {
    set_indices(fresh.space, point(i));
    lower_body(fresh.body, {}, step);
  });
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedHistogram& e) {
  std::vector<std::vector<Place>> places;
  bind_destinations(s, e.operators, places);
  if (mode_ != Mode::host) {
    histogram_by_segments(e, places);
    return;
  }
  run_versions(e.schedule, [&](const ir::Strategy& strategy) {
    const ir::Statement copied = copy_of(e);
    const auto& own = *as<ir::SegmentedHistogram>(copied.operation);
    match(strategy,
          [&](const ir::BlockBins& bins) { Gpu(*this).histogram_in_blocks(own, bins, places); },
          [&](const ir::AtomicBins&) { histogram_atomically(own, places); },
          [&](const ir::LockedBins& bins) { Gpu(*this).histogram_with_locks(own, bins, places); },
          [&](const ir::BySegments&) { histogram_by_segments(own, places); },
          [&](const ir::InPieces& pieces) { histogram_by_pieces(own, places, pieces.most); },
          [&](const ir::HeldBlocks&) { histogram_by_pieces(own, places, ir::InPieces{}.most); },
          [&](const auto&) { DZ_UNREACHABLE("no strategy for a histogram"); });
  });
}

// A thread for each segment.
void Lowering::histogram_by_segments(const ir::SegmentedHistogram& e,
                                     const std::vector<std::vector<Place>>& places) {
  std::vector<Operand> outer = extents_of(e.space);
  const Operand width = outer.back();
  outer.pop_back();
  const Operand cost = add(cost_of(e.schedule), ir::i64_operand(4));
  for_each_point(outer, mul(cost, width), "hist", [&](const std::vector<Operand>& point) {
    histogram_elements(e, parts_at(*this, places, point), point, ir::i64_operand(0), width);
  });
}

// Pieces of the elements fill bins of their own where there are more elements than bins.
void Lowering::histogram_by_pieces(const ir::SegmentedHistogram& e,
                                   const std::vector<std::vector<Place>>& places,
                                   std::int64_t most) {
  if (e.space.size() > 1) {
    histogram_by_segments(e, places);
    return;
  }
  const Operand width = e.space.back().extent;
  Operand bins = ir::i64_operand(1);
  for (const ir::HistogramOperator& one : e.operators) {
    for (const NameId destination : one.destinations) {
      bins = add(bins, product(shape_of(destination)));
    }
  }
  const Operand cost = add(cost_of(e.schedule), ir::i64_operand(4));
  const Operand wanted = piece_count(ir::i64_operand(1), width, cost, most);
  const Operand pieces = minimum(wanted, divide(width, bins));
  const ir::Statement copied = copy_of(e);
  host_branch(
      less(ir::i64_operand(1), pieces), [&] { fill_pieces(e, places, width, pieces); },
      [&] { histogram_by_segments(*as<ir::SegmentedHistogram>(copied.operation), places); });
}

void Lowering::histogram_atomically(const ir::SegmentedHistogram& e,
                                    const std::vector<std::vector<Place>>& places) {
  const Operand cost = cost_of(e.schedule);
  for_each_point(extents_of(e.space), cost, "hist", [&](const std::vector<Operand>& point) {
    set_indices(e.space, point);
    const auto bins = parts_at(*this, places, {point.begin(), point.end() - 1});
    lower_body(e.body, {}, [&](const std::vector<Value>& values) {
      std::size_t position = 0;
      for (std::size_t k = 0; k < e.operators.size(); ++k) {
        const ir::HistogramOperator& one = e.operators[k];
        std::vector<Operand> indices;
        for (std::size_t d = 0; d < one.shape.size(); ++d) {
          indices.push_back(values[position++].operand);
        }
        const Value value = values[position++];
        branch(is_inside(indices, one.shape), [&] {
          combine_atomically(one.op, one.op.result_types[0], bins[k][0], indices, value);
        });
      }
    });
  });
}

// Fills private bins [pieces × shape] and combines them into the destinations.
void Lowering::fill_pieces(const ir::SegmentedHistogram& e,
                           const std::vector<std::vector<Place>>& places, const Operand& width,
                           const Operand& pieces) {
  std::vector<std::vector<Place>> own_bins;
  for (const ir::HistogramOperator& one : e.operators) {
    own_bins.emplace_back();
    for (const NameId destination : one.destinations) {
      ir::Type type = names().type(destination);
      type.shape.insert(type.shape.begin(), pieces);
      own_bins.back().push_back(new_array(type, "bins"));
    }
  }
  const Operand chunk = divide_up(width, pieces);
  const Operand cost = mul(chunk, cost_of(e.schedule));
  for_each_point({pieces}, cost, "hist", [&](const std::vector<Operand>& piece) {
    const auto bins = parts_at(*this, own_bins, piece);
    for (std::size_t k = 0; k < e.operators.size(); ++k) fill_bins(e.operators[k], bins[k]);
    const Operand start = mul(piece[0], chunk);
    const Operand left = maximum(sub(width, start), ir::i64_operand(0));
    histogram_elements(e, bins, {}, start, minimum(chunk, left));
  });
  for (std::size_t k = 0; k < e.operators.size(); ++k) {
    const ir::HistogramOperator& one = e.operators[k];
    const auto combine_pieces = [&](const std::vector<Place>& into, const std::vector<Operand>& bin,
                                    const Operand& first, const Groups& group) {
      thread_loop(group.count, false, [&](const Operand& piece) {
        std::vector<Operand> point = {add(first, mul(piece, group.stride))};
        point.insert(point.end(), bin.begin(), bin.end());
        combine_at(one.op, into, bin, values_at(own_bins[k], one.op.result_types, point));
      });
    };
    const Groups groups = combine_groups(
        one.shape, pieces,
        [&](const std::vector<Operand>& bin, const Operand& first, const Groups& group) {
          const Groups others{sub(group.count, ir::i64_operand(1)), group.stride};
          combine_pieces(parts_at(*this, {own_bins[k]}, {first})[0], bin,
                         add(first, group.stride), others);
        });
    for_each_point(one.shape, cost_of_combining(groups.count), "hist_combine",
                   [&](const std::vector<Operand>& bin) {
      combine_pieces(places[k], bin, ir::i64_operand(0), groups);
    });
  }
}

void Lowering::fill_bins(const ir::HistogramOperator& one, const std::vector<Place>& bins) {
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const Value neutral = value_of(one.neutral[k]);
    nested_loops(one.shape, [&](const std::vector<Operand>& bin) { write(bins[k], bin, neutral); });
  }
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedScatter& e) {
  std::vector<Place> places;
  for (std::size_t k = 0; k < e.targets.size(); ++k) {
    places.push_back(place_of(e.targets[k].destination));
    bind(s.results[k].name, places[k]);
  }
  const Operand cost = add(cost_of(e.schedule), ir::i64_operand(2));
  for_each_point(extents_of(e.space), cost, "scatter", [&](const std::vector<Operand>& point) {
    set_indices(e.space, point);
    uses_private_memory_ = true;  // elements may meet in memory: not independent
    lower_body(e.body, {}, [&](const std::vector<Value>& values) {
      std::vector<Place> parts;
      for (const Place& place : places) {
        parts.push_back(part_at(*this, place, {point.begin(), point.end() - 1}));
      }
      scatter_step(e.targets, parts, values);
    });
  });
}

}  // namespace dagaz::imperative
