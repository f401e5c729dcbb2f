#include "ir/verify_schedule.h"

#include "support/match.h"

namespace dagaz::ir {

namespace {

/// Collects the first problem.
struct Numbers {
  std::string problem;

  void within(std::string_view name, int value, int least, int most) {
    if (!problem.empty() || (value >= least && value <= most)) return;
    problem = "`" + std::string(name) + " " + std::to_string(value) + "` is not from " +
              std::to_string(least) + " to " + std::to_string(most);
  }
};

constexpr int most = 1 << 26;
constexpr int most_unrolled = 1024;  // copies of code
constexpr int most_rounds = 16;
constexpr int most_gap = 64;
constexpr int most_together = 32;
constexpr int most_tile = 4096;
constexpr int most_ahead = 1 << 16;
constexpr int most_on_stack = 1 << 16;  // bytes
constexpr int most_line = 4096;
constexpr int most_turned = 1 << 10;
constexpr int most_streamed_bytes = 1 << 30;
constexpr int most_streamed_rows = 64;  // some more of which a task has on its stack

}  // namespace

std::string problem_of(const Strategy& strategy) {
  Numbers numbers;
  const auto at_least = [&](std::string_view name, int value, int least) {
    numbers.within(name, value, least, most);
  };
  const auto unrolled = [&](std::string_view name, int value) {
    numbers.within(name, value, 1, most_unrolled);
  };
  const auto combining = [&](const auto& one) {
    numbers.within("rounds", one.rounds, 0, most_rounds);
    at_least("at_once", one.at_once, 2);
  };
  const auto sharing = [&](const auto& one) {
    at_least("blocks", one.blocks, 1);
    at_least("elements", one.elements, 1);
  };
  match(
      strategy,
      [&](const Pointwise& one) {
        unrolled("points", one.points);
        at_least("whole_vectors", one.whole_vectors, 0);
      },
      [&](const LaneBlocks& one) {
        unrolled("block_rows", one.block_rows);
        unrolled("columns", one.columns);
        unrolled("width", one.width);
        at_least("chunk", one.chunk, 1);
        numbers.within("ahead", one.ahead, 0, most_ahead);
      },
      [&](const Interchanged& one) {
        at_least("tile", one.tile, 1);
        numbers.within("steps", one.steps, 1, 64);
      },
      [&](const HeldBlocks& one) { at_least("elements", one.elements, 1); },
      [&](const FusedStencil& one) { at_least("maps", one.maps, 1); },
      [&](const Compaction& one) {
        at_least("statements", one.statements, 1);
        unrolled("width", one.width);
      },
      [&](const Contraction& one) {
        unrolled("block_rows", one.block_rows);
        unrolled("columns", one.columns);
        unrolled("width", one.width);
        at_least("depth", one.depth, 1);
        at_least("split", one.split, 0);
        unrolled("crossing", one.crossing);
        numbers.within("row_gap", one.row_gap, 0, most_gap);
        numbers.within("together", one.together, 0, most_together);
        numbers.within("point_gap", one.point_gap, 0, most_gap);
      },
      [&](const InPieces& one) {
        at_least("most", one.most, 1);
        at_least("least", one.least, 1);
        combining(one);
      },
      [&](const BySegments& one) {
        at_least("whole_vectors", one.whole_vectors, 0);
        numbers.within("ahead", one.ahead, 0, most_ahead);
      },
      [&](const Teams& one) {
        at_least("warp", one.warp, 0);
        numbers.within("stretch", one.stretch, 0, most_unrolled);
        sharing(one);
      },
      [&](const RowBlocks& one) {
        numbers.within("rows", one.rows, 1, most_tile);
        numbers.within("points", one.points, 1, most_tile);
        at_least("depth", one.depth, 1);
      },
      [&](const StagedTiles& one) {
        numbers.within("rows", one.rows, 1, most_tile);
        numbers.within("points", one.points, 1, most_tile);
      },
      [&](const LookBack& one) { unrolled("stretch", one.stretch); },
      [&](const InStages& one) { sharing(one); },
      [&](const BlockBins& one) {
        at_least("elements", one.elements, 1);
        combining(one);
      },
      [&](const AtomicBins&) {}, [&](const LockedBins& one) { at_least("most", one.most, 1); });
  return numbers.problem;
}

std::string problem_of(const std::vector<Append>& appends) {
  Numbers numbers;
  for (const Append& one : appends) numbers.within("ahead", one.ahead, 1, most_ahead);
  return numbers.problem;
}

std::string problem_of_stretches(const Schedule& schedule) {
  Numbers numbers;
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
  numbers.within("streamed_rows", settings.streamed_rows, 1, most_streamed_rows);
  // Locks of an arena are counted for ratios of 64 and more.
  numbers.within("arena_ratio", settings.arena_ratio, 64, most);
  numbers.within("arena_expansions", settings.arena_expansions, 1, most);
  return numbers.problem;
}

}  // namespace dagaz::ir
