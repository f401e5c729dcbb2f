#include "plan/gpu.h"

#include <algorithm>
#include <bit>

#include "plan/gpu_additions.h"
#include "plan/gpu_contraction.h"
#include "plan/gpu_rows.h"
#include "plan/gpu_staging.h"
#include "plan/handed_rows.h"
#include "plan/interchange.h"
#include "plan/joined_sums.h"
#include "plan/operators.h"
#include "plan/radix_pass.h"
#include "plan/target.h"
#include "plan/thread_code.h"
#include "plan/versions.h"

namespace dagaz::plan {

using ir::Guard;
using ir::Operand;
using ir::Version;

namespace {

std::vector<Operand> segments_of(const std::vector<ir::SpaceDimension>& space) {
  std::vector<Operand> sizes;
  for (std::size_t d = 0; d + 1 < space.size(); ++d) sizes.push_back(space[d].extent);
  return sizes;
}

const Operand& width_of(const std::vector<ir::SpaceDimension>& space) {
  return space.back().extent;
}

// A thread each is enough for the device.
Guard many(const std::vector<ir::SpaceDimension>& space) {
  return {{4, segments_of(space)}, {1, {}, true}};
}

template <typename Operator>
std::vector<ir::Type> types_of(const std::vector<Operator>& operators) {
  std::vector<ir::Type> types;
  for (const Operator& one : operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  return types;
}

std::int64_t bytes_of(const std::vector<ir::Type>& types) {
  std::int64_t bytes = 0;
  for (const ir::Type& type : types) bytes += ir::byte_size(type.element);
  return bytes;
}

bool takes_memory(const ir::Body& body, const Surroundings& around) {
  return plan::takes_memory(body, around.names, around.tunables().stack_array);
}

// Whether threads can combine values together, between barriers: these are scalars, and the
// operators take no memory.
template <typename Operator>
bool can_combine(const std::vector<Operator>& operators, const Surroundings& around) {
  return std::all_of(operators.begin(), operators.end(), [&](const Operator& one) {
    return are_scalars(one.op.result_types) && !takes_memory(one.op.body, around);
  });
}

template <typename Operator>
bool may_any_fail(const std::vector<Operator>& operators) {
  return std::any_of(operators.begin(), operators.end(),
                     [](const Operator& one) { return may_fail(one.op.body); });
}

ir::InPieces in_pieces(const Tunables& tunables) {
  ir::InPieces pieces;
  pieces.least = static_cast<int>(tunables.gpu_piece_elements);
  pieces.rounds = static_cast<int>(tunables.gpu_combining_rounds);
  pieces.at_once = static_cast<int>(tunables.gpu_combined);
  pieces.most_at_once = 2 * pieces.at_once;
  return pieces;
}

ir::Interchanged in_columns(const Tunables& tunables) {
  // A power of two: block_threads is one.
  const auto side_by_side = std::bit_floor(static_cast<std::uint64_t>(tunables.gpu_columns));
  return {static_cast<int>(side_by_side),
          static_cast<int>(std::min<std::int64_t>(tunables.gpu_thread_elements, 64))};
}

// As many segments lie side by side as half of those that a block has.
Guard fills_half(const std::vector<ir::SpaceDimension>& space, const ir::Interchanged& columns) {
  return ir::at_least(space[space.size() - 2].extent, (columns.tile + 1) / 2);
}

/// Elements of a thread so that those of a block, of such values, fit its memory; odd, so that
/// threads that walk their stretches use all banks.  0: not even one does.
std::int64_t stretch_of(const std::vector<ir::Type>& held, const Tunables& tunables) {
  std::int64_t stretch = (tunables.gpu_scan_stretch - 1) | 1;
  while (stretch > 0 && stretch * block_threads * bytes_of(held) > tunables.gpu_scan_bytes) {
    stretch -= 2;
  }
  return std::max<std::int64_t>(stretch, 0);
}

/// A tile that fails would never publish, and others wait for it.
bool may_wait(const ir::Body& body, const Surroundings& around) {
  return !may_fail(body) && !takes_memory(body, around);
}

/// Whether writes put single numbers there.
bool takes_numbers(ir::NameId accumulator, const Surroundings& around) {
  const Opened* const opened = around.opened(accumulator);
  return opened != nullptr && opened->op == nullptr && opened->row.is_scalar();
}

/// Passes of radix sorts by blocks, where points have elements for one.  Threads hold elements in
/// registers: with 18 of four bytes they need 80, so that an H100 runs three blocks at a time on
/// each multiprocessor; elements that are larger are fewer, for shared memory.
void add_radix_pass(ir::Schedule& schedule, const ir::SegmentedMap& e, const Surroundings& around) {
  const auto pass = radix_pass_of(e, around.names, block_threads);
  if (!pass || !may_wait(pass->body, around)) return;
  std::int64_t bytes = 1;  // of a digit, and of what goes with it
  for (const ir::NameId name : pass->accumulators) {
    if (!takes_numbers(name, around)) return;
    bytes += ir::byte_size(around.names.type(name).element);
  }
  const auto& tunables = around.tunables();
  const auto stretch =
      std::min(tunables.gpu_radix_stretch, tunables.gpu_scan_bytes / (bytes * block_threads));
  if (stretch == 0) return;
  add_version(schedule, {ir::at_least(pass->length, block_threads)},
              ir::LookBack{static_cast<int>(stretch)});
}

/// Products in tiles stage what they read themselves; but where windows are read there may be too
/// few rows for these.
void add_staged_tiles(ir::Schedule& schedule, const PointCode& code, const std::vector<Guard>& when,
                      const Surroundings& around) {
  if (takes_memory(code.body, around)) return;
  if (!schedule.versions.empty() && !reads_windows(code, around)) return;
  for (Version& one : staged_tiles(code, when, around)) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
}

}  // namespace

ir::Schedule gpu_map(const ir::SegmentedMap& e, const Surroundings& around, ir::Names& names) {
  ir::Schedule schedule;
  if (auto additions = additions_in_blocks(e, around)) {
    add_version(schedule, std::move(additions->when), std::move(additions->strategy));
  }
  add_radix_pass(schedule, e, around);
  for (Version& one : gpu_contraction(e, around, names)) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
  add_staged_tiles(schedule, {e.space, {}, e.body}, {}, around);
  if (auto teams = gpu_rows(e, around, names)) {
    for (Version& one : teams->versions) {
      add_version(schedule, std::move(one.when), std::move(one.strategy));
    }
    return schedule;
  }
  if (auto rows = handed_rows(e, around)) {
    add_version(schedule, std::move(rows->when), std::move(rows->strategy));
  }
  const auto& tunables = around.tunables();
  const auto& statements = e.body.statements;
  const bool is_short =
      are_scalars(e.result_types) && std::ssize(statements) <= tunables.gpu_point_statements &&
      std::all_of(statements.begin(), statements.end(), [&](const ir::Statement& one) {
        return as<ir::Scalar>(one.operation) || as<ir::Identity>(one.operation) ||
               as<ir::Index>(one.operation);
      });
  add_version(schedule, {},
              ir::Pointwise{.points = is_short ? static_cast<int>(tunables.gpu_points) : 1});
  return schedule;
}

namespace {

ir::Teams in_teams(std::int64_t stretch, const Tunables& tunables) {
  // Warps share nothing: a segment that one reduces is too short for several blocks.
  const auto longest =
      std::min(tunables.gpu_warp_segment, block_threads * tunables.gpu_thread_elements);
  return {.warp = static_cast<int>(longest),
          .blocks = static_cast<int>(tunables.gpu_segment_blocks),
          .elements = static_cast<int>(tunables.gpu_thread_elements),
          .stretch = static_cast<int>(stretch)};
}

/// Where sums of sums read lines, neighbouring threads read these.
void add_joined_sums(ir::Schedule& schedule, const ir::SegmentedReduce& e,
                     const Surroundings& around, ir::Names& names) {
  const auto joined = joined_sums(e, names);
  if (!joined || !reads_lines({joined->space, {}, joined->body}, around)) return;
  ir::Teams teams = in_teams(0, around.tunables());
  teams.joined = true;
  const auto shortest = around.tunables().gpu_shared_segment;
  add_version(schedule, {ir::at_least(width_of(joined->space), shortest)}, teams);
}

}  // namespace

ir::Schedule gpu_reduction(const ir::SegmentedReduce& e, const Surroundings& around,
                           ir::Names& names) {
  const auto& tunables = around.tunables();
  if (!can_combine(e.operators, around)) return only(in_pieces(tunables));
  ir::Schedule schedule;
  for (Version& one : gpu_contraction(e, around, names)) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
  const bool has_segments = e.space.size() > 1;
  const Guard is_short = at_most(width_of(e.space), tunables.gpu_shared_segment - 1);
  if (has_segments) {
    const auto innermost = e.space.end() - 1;
    add_staged_tiles(schedule, {{e.space.begin(), innermost}, {*innermost}, e.body}, {is_short},
                     around);
  }
  add_joined_sums(schedule, e, around, names);
  if (has_segments) {
    add_version(schedule, {is_short}, ir::BySegments{});
    if (has_interleaved_segments(around, e)) {
      add_version(schedule, {many(e.space)}, ir::BySegments{});
      const ir::Interchanged columns = in_columns(tunables);
      add_version(schedule, {fills_half(e.space, columns)}, columns);
    }
  }
  const std::int64_t stretch =
      are_commutative(e.operators) ? 0 : stretch_of(types_of(e.operators), tunables);
  if (stretch == 0 && !are_commutative(e.operators)) {
    add_version(schedule, {}, in_pieces(tunables));
    return schedule;
  }
  add_version(schedule, {}, in_teams(stretch, tunables));
  return schedule;
}

namespace {

/// What a filter keeps goes where it belongs as soon as that is known.
std::optional<ir::Compaction> in_one_pass(const Compaction& compaction, std::size_t scanned,
                                          const Surroundings& around) {
  // Counts of a tile fit 16 bits.
  std::vector<ir::Type> held(scanned, ir::scalar_of(ir::ScalarType::i16));
  for (const Operand& one : compaction.body.results) held.push_back(around.names.type(one));
  if (!may_wait(compaction.body, around) || !are_scalars(held)) return std::nullopt;
  const std::int64_t stretch = stretch_of(held, around.tunables());
  if (stretch == 0) return std::nullopt;
  return ir::Compaction{static_cast<int>(compaction.statements), static_cast<int>(stretch)};
}

}  // namespace

ir::Schedule gpu_scan(const ir::SegmentedScan& e, const Surroundings& around,
                      const std::optional<Compaction>& compaction) {
  if (compaction) {
    if (const auto together = in_one_pass(*compaction, e.operators.size(), around)) {
      return only(*together);
    }
  }
  const std::vector<ir::Type> types = types_of(e.operators);
  std::vector<ir::Type> held;
  for (const Operand& one : e.body.results) held.push_back(around.names.type(one));
  const bool together = can_combine(e.operators, around) && are_scalars(held);
  const auto& tunables = around.tunables();
  if (!together) {
    ir::InPieces pieces = in_pieces(tunables);
    pieces.most = static_cast<int>(tunables.gpu_scan_pieces);
    return only(pieces);
  }
  ir::Schedule schedule;
  if (e.space.size() > 1) {
    const Operand& width = width_of(e.space);
    const auto shortest = tunables.gpu_shared_segment;
    add_version(schedule, {at_most(width, shortest - 1)}, ir::BySegments{});
    add_version(schedule, {many(e.space), at_most(width, block_threads - 1)}, ir::BySegments{});
  }
  const bool waits = may_wait(e.body, around) && !may_any_fail(e.operators) &&
                     (!e.post || may_wait(e.post->body, around));
  const std::int64_t stretch = stretch_of(held, tunables);
  if (waits && stretch > 0) {
    add_version(schedule, {}, ir::LookBack{static_cast<int>(stretch)});
  } else {
    add_version(schedule, {}, ir::InStages{static_cast<int>(tunables.gpu_segment_blocks),
                                           static_cast<int>(tunables.gpu_thread_elements)});
  }
  return schedule;
}

namespace {

// Whether each operator combines single numbers or their arrays element by element, as atomic
// instructions can.
bool is_atomic(const ir::SegmentedHistogram& e, const ir::Names& names) {
  return std::all_of(e.operators.begin(), e.operators.end(), [&](const auto& one) {
    return one.destinations.size() == 1 && is_positionwise(one.op, names);
  });
}

// Each operator gets an equal part of the memory, and there are enough elements for each bin.
std::vector<Guard> block_bins_fit(const ir::SegmentedHistogram& e, const ir::BlockBins& bins,
                                  std::int64_t bin_bytes) {
  const auto count = std::ssize(e.operators);
  std::vector<Guard> guards;
  for (const ir::HistogramOperator& one : e.operators) {
    const std::int64_t bytes = bytes_of(one.op.result_types);
    const std::int64_t most = (bin_bytes / count - 16 * std::ssize(one.destinations)) / bytes;
    guards.push_back({{most, {}}, {1, one.shape}});
    const std::int64_t elements = bins.elements * count;
    if (bins.atomic) {
      // A quarter of the blocks that the device holds; atomic instructions on all bins are no bad
      // choice either.
      guards.push_back({{4 * block_threads, {width_of(e.space)}}, {elements, one.shape, true}});
    } else {
      guards.push_back({{1, {width_of(e.space)}}, {elements, one.shape}});
    }
  }
  return guards;
}

// In which a thread puts what it computed for an element, where no atomic instruction combines.
bool runs_fit(const ir::SegmentedHistogram& e, std::int64_t run_bytes) {
  std::int64_t bytes = 0;
  for (const ir::HistogramOperator& one : e.operators) {
    bytes += (8 + bytes_of(one.op.result_types)) * block_threads;
    bytes += 16 * (1 + std::ssize(one.destinations));
  }
  return bytes <= run_bytes;
}

}  // namespace

ir::Schedule gpu_histogram(const ir::SegmentedHistogram& e, const Surroundings& around) {
  const auto& tunables = around.tunables();
  const bool atomic = is_atomic(e, around.names);
  const bool together = can_combine(e.operators, around);
  ir::Schedule schedule;
  if (e.space.size() == 1 && together && runs_fit(e, tunables.gpu_run_bytes)) {
    ir::BlockBins bins{static_cast<int>(tunables.gpu_bin_elements), atomic};
    if (!atomic) {
      bins.rounds = 1;
      bins.at_once = static_cast<int>(tunables.gpu_combined);
      bins.most_at_once = 2 * bins.at_once;
    }
    add_version(schedule, block_bins_fit(e, bins, tunables.gpu_bin_bytes), bins);
  }
  if (atomic) {
    add_version(schedule, {}, ir::AtomicBins{});
    return schedule;
  }
  // Whoever has a lock comes to an end.
  const bool locked = std::all_of(e.operators.begin(), e.operators.end(), [&](const auto& one) {
    return !may_fail(one.op.body) && !takes_memory(one.op.body, around);
  });
  if (e.space.size() > 1) {
    if (locked) add_version(schedule, {many(e.space)}, ir::BySegments{});
  } else {
    // Pieces are worth it only where they have more elements than bins.
    std::vector<Guard> guards = {ir::at_least(width_of(e.space), 32)};
    for (const ir::HistogramOperator& one : e.operators) {
      const auto sides = 2 * std::ssize(one.destinations) * std::ssize(e.operators);
      guards.push_back({{1, {width_of(e.space)}}, {sides, one.shape}});
      // A thread has a piece; where bins are so many that there would be few pieces, locks are
      // rare.
      if (locked) {
        guards.push_back(
            {{tunables.gpu_piece_share, {width_of(e.space)}}, {sides, one.shape, true}});
      }
    }
    add_version(schedule, std::move(guards), in_pieces(tunables));
  }
  add_version(schedule, {},
              locked ? ir::Strategy(ir::LockedBins{}) : ir::Strategy(ir::BySegments{}));
  return schedule;
}

}  // namespace dagaz::plan
