#include "ir/verify_schedule.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::ir {

namespace {

constexpr int most = 1 << 26;
constexpr int most_unrolled = 1024;  // copies of code
constexpr int most_rounds = 16;
constexpr int most_streams = 64;
constexpr int most_gap = 64;
constexpr int most_together = 32;
constexpr int most_stages = 16;
constexpr int most_copied = 16;
constexpr int most_tile = 4096;
constexpr int most_ahead = 1 << 16;
constexpr int most_on_stack = 1 << 16;  // bytes
constexpr int most_line = 4096;
constexpr int most_turned = 1 << 10;
constexpr int most_streamed_bytes = 1 << 30;
constexpr int most_staged_rows = 64;  // some more of which a task has on its stack
constexpr int most_percent = 1000;
constexpr int most_close_lanes = 16;

/// Collects the first problem.
struct Numbers {
  std::string problem;

  void within(std::string_view name, int value, int lowest, int highest) {
    if (!problem.empty() || (value >= lowest && value <= highest)) return;
    problem = "`" + std::string(name) + " " + std::to_string(value) + "` is not from " +
              std::to_string(lowest) + " to " + std::to_string(highest);
  }
  void at_least(std::string_view name, int value, int least) { within(name, value, least, most); }
  void unrolled(std::string_view name, int value) { within(name, value, 1, most_unrolled); }
  void among(std::string_view name, NameId copied, const std::vector<NameId>& all) {
    if (!problem.empty() || std::ranges::count(all, copied) > 0) return;
    problem = "what is copied is not among the `" + std::string(name) + "`";
  }
};

// ---------------------------------------------------------------- what strategies share

void check_iterations(Numbers& numbers, const Iterations& one) {
  numbers.at_least("whole_vectors", one.whole_vectors, 0);
}

template <typename Strategy>
void check_block(Numbers& numbers, const Strategy& one) {
  numbers.unrolled("block_rows", one.block_rows);
  numbers.unrolled("columns", one.columns);
  numbers.unrolled("width", one.width);
}

template <typename Strategy>
void check_combining(Numbers& numbers, const Strategy& one) {
  numbers.within("rounds", one.rounds, 0, most_rounds);
  numbers.at_least("at_once", one.at_once, 2);
  numbers.at_least("most_at_once", one.most_at_once, one.at_once);
}

template <typename Strategy>
void check_sharing(Numbers& numbers, const Strategy& one) {
  numbers.at_least("blocks", one.blocks, 1);
  numbers.at_least("elements", one.elements, 1);
}

template <typename Strategy>
void check_tile(Numbers& numbers, const Strategy& one) {
  numbers.within("rows", one.rows, 1, most_tile);
  numbers.within("points", one.points, 1, most_tile);
}

// ---------------------------------------------------------------- a rule for each strategy

void check(Numbers& numbers, const Pointwise& one) {
  numbers.unrolled("points", one.points);
  check_iterations(numbers, one);
}

void check(Numbers& numbers, const LaneBlocks& one) {
  check_block(numbers, one);
  numbers.at_least("chunk", one.chunk, 1);
  numbers.within("ahead", one.ahead, 0, most_ahead);
}

void check(Numbers& numbers, const Interchanged& one) {
  numbers.at_least("tile", one.tile, 1);
  numbers.within("steps", one.steps, 1, 64);
}

void check(Numbers& numbers, const HeldBlocks& one) {
  numbers.at_least("elements", one.elements, 1);
}

void check(Numbers& numbers, const FusedStencil& one) { numbers.at_least("maps", one.maps, 1); }

void check(Numbers& numbers, const Compaction& one) {
  numbers.at_least("statements", one.statements, 1);
  numbers.unrolled("width", one.width);
}

void check(Numbers& numbers, const Contraction& one) {
  check_block(numbers, one);
  numbers.at_least("depth", one.depth, 1);
  numbers.at_least("split", one.split, 0);
  numbers.unrolled("crossing", one.crossing);
  numbers.within("row_gap", one.row_gap, 0, most_gap);
  numbers.within("together", one.together, 0, most_together);
  numbers.within("point_gap", one.point_gap, 0, most_gap);
  numbers.within("stages", one.stages, 2, most_stages);
  numbers.within("row_copies", one.row_copies, 0, most_copied);
  numbers.within("point_copies", one.point_copies, 0, most_copied);
}

void check(Numbers& numbers, const InPieces& one) {
  numbers.at_least("most", one.most, 1);
  numbers.at_least("least", one.least, 1);
  numbers.within("streams", one.streams, 1, most_streams);
  numbers.within("line", one.line, 1, most_line);
  check_combining(numbers, one);
}

void check(Numbers& numbers, const BySegments& one) {
  check_iterations(numbers, one);
  numbers.within("ahead", one.ahead, 0, most_ahead);
}

void check(Numbers& numbers, const Teams& one) {
  numbers.at_least("warp", one.warp, 0);
  numbers.within("stretch", one.stretch, 0, most_unrolled);
  numbers.within("stages", one.stages, 1, most_stages);
  for (const NameId array : one.copied) numbers.among("tiled", array, one.tiled);
  check_sharing(numbers, one);
}

void check(Numbers& numbers, const RowBlocks& one) {
  check_tile(numbers, one);
  numbers.at_least("depth", one.depth, 1);
  numbers.within("stages", one.stages, 2, most_stages);
  numbers.within("together", one.together, 0, most_together);
  for (const std::vector<CopiedValues>& all : {one.copied_rows, one.copied_points}) {
    for (const CopiedValues& copied : all) {
      numbers.within("neighbours", copied.neighbours, 1, most_copied);
      numbers.among("products", copied.product, one.products);
    }
  }
}

void check(Numbers& numbers, const StagedTiles& one) {
  check_tile(numbers, one);
  for (const NameId array : one.copied) numbers.among("staged", array, one.staged);
  for (const NameId array : one.wide) numbers.among("copied", array, one.copied);
}

void check(Numbers& numbers, const LookBack& one) { numbers.unrolled("stretch", one.stretch); }

void check(Numbers& numbers, const InStages& one) { check_sharing(numbers, one); }

void check(Numbers& numbers, const BlockBins& one) {
  numbers.at_least("elements", one.elements, 1);
  numbers.within("rounds", one.rounds, 0, 1);
  check_combining(numbers, one);
}

void check(Numbers&, const AtomicBins&) {}

void check(Numbers& numbers, const LockedBins& one) { numbers.at_least("most", one.most, 1); }

}  // namespace

std::string problem_of(const Strategy& strategy) {
  Numbers numbers;
  match(strategy, [&](const auto& one) { check(numbers, one); });
  return numbers.problem;
}

std::string problem_of(const std::vector<Append>& appends) {
  Numbers numbers;
  for (const Append& one : appends) numbers.within("ahead", one.ahead, 1, most_ahead);
  return numbers.problem;
}

std::string problem_of_stretches(const Schedule& schedule) {
  Numbers numbers;
  numbers.within("lanes", schedule.lanes, 0, most_unrolled);
  numbers.within("strip", schedule.strip, 0, most_on_stack);
  numbers.within("link", schedule.link, 0, most);
  return numbers.problem;
}

std::string problem_of(const Schedule& schedule) {
  for (std::size_t k = 0; k < schedule.versions.size(); ++k) {
    const Version& version = schedule.versions[k];
    const bool is_last = k + 1 == schedule.versions.size();
    if (version.when.empty() != is_last) {
      return is_last ? "the last version has a guard"
                     : "a version that always runs is not the last";
    }
    std::string problem = problem_of(version.strategy);
    if (!problem.empty()) return problem;
  }
  const std::string problem = problem_of(schedule.appends);
  return problem.empty() ? problem_of_stretches(schedule) : problem;
}

std::string problem_of(const Settings& settings) {
  Numbers numbers;
  numbers.within("task", settings.task, 1, most);
  numbers.within("combined", settings.combined, 1, most);
  numbers.within("copied", settings.copied, 1, most);
  numbers.within("points_a_thread", settings.points_a_thread, 1, most_unrolled);
  numbers.within("short_array", settings.short_array, 0, most);
  numbers.within("stack_array", settings.stack_array, 0, most_on_stack);
  numbers.within("carried_array", settings.carried_array, 0, most);
  numbers.within("turned", settings.turned, 0, most_turned);
  numbers.within("streamed_bytes", settings.streamed_bytes, 0, most_streamed_bytes);
  numbers.within("fetched_ahead", settings.fetched_ahead, 0, most);
  numbers.within("line", settings.line, 8, most_line);
  numbers.within("tile", settings.tile, 0, most);
  numbers.within("tile_rows", settings.tile_rows, 1, most_unrolled);
  numbers.within("staged_rows", settings.staged_rows, 1, most_staged_rows);
  numbers.within("crowding", settings.crowding, 0, most_percent);
  numbers.within("streams", settings.streams, 1, most_unrolled);
  numbers.within("look", settings.look, 1, most);
  numbers.within("close_lanes", settings.close_lanes, 1, most_close_lanes);
  // Locks of an arena are counted for ratios of 64 and more.
  numbers.within("arena_ratio", settings.arena_ratio, 64, most);
  numbers.within("arena_expansions", settings.arena_expansions, 1, most);
  return numbers.problem;
}

}  // namespace dagaz::ir
