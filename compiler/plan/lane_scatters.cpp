#include "plan/lane_scatters.h"

#include <algorithm>

#include "plan/operators.h"
#include "plan/target.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

/// A version, and what a point does.
struct ScatterVersion {
  ir::Version version;
  LaneWork work;
};

// Whether the points of a vector write to places of their own, for each target.
bool differ_by_point(const ir::SegmentedScatter& scatter, const std::vector<LaneResult>& results) {
  std::size_t position = 0;
  for (const ir::ScatterTarget& target : scatter.targets) {
    bool differ = false;
    for (std::size_t i = 0; i < target.shape.size(); ++i) {
      differ = differ || results[position++].scalar->by_point;
    }
    if (!differ) return false;
    ++position;  // the value
  }
  return true;
}

std::optional<ScatterVersion> read_scatter(const Surroundings& around,
                                           const ir::SegmentedScatter& scatter,
                                           const ir::LaneBlocks& blocks) {
  LaneReading lanes(around, blocks);
  for (std::size_t d = 0; d < scatter.space.size(); ++d) {
    lanes.bind_index(scatter.space[d].index.name, false, d + 1 == scatter.space.size());
  }
  const std::vector<LaneResult> results = lanes.read(scatter.body, {});
  const bool are_numbers = std::all_of(results.begin(), results.end(), [](const LaneResult& one) {
    return one.scalar.has_value();
  });
  if (!lanes.is_legal() || !are_numbers || !differ_by_point(scatter, results)) return std::nullopt;
  const ir::Operand& extent = scatter.space.back().extent;
  const std::int64_t span = std::int64_t{blocks.columns} * blocks.width;
  if (is_known_below(extent, span)) return std::nullopt;
  ScatterVersion read{{{}, lanes.blocks()}, lanes.work()};
  add_guard(read.version.when, extent, span);
  return read;
}

/// Blocks of a scatter have columns and a width; the last one along its dimension is moved back.
ir::LaneBlocks of_scatter(ir::LaneBlocks blocks, const ir::SegmentedScatter& scatter) {
  blocks.points = static_cast<int>(scatter.space.size()) - 1;
  return blocks;
}

}  // namespace

std::optional<ir::Version> scatter_in_lanes(const Surroundings& around,
                                            const ir::SegmentedScatter& scatter) {
  // Without instructions for masked writes of lanes each would be a branch again.
  if (!around.target.has_masks || has_loops(scatter.body)) return std::nullopt;
  ir::LaneBlocks blocks = block_for(scatter.body, around, false, Around::task);
  auto read = read_scatter(around, scatter, of_scatter(blocks, scatter));
  if (!read || !reads_enough_in_steps(read->work, around.tunables())) return std::nullopt;
  if (!std::get<ir::LaneBlocks>(read->version.strategy).serialised.empty()) return std::nullopt;
  return std::move(read->version);
}

std::optional<ir::Version> completed_blocks(const Surroundings& around,
                                            const ir::SegmentedScatter& scatter,
                                            const ir::LaneBlocks& blocks) {
  const bool has_shape = blocks.columns >= 1 && blocks.columns <= most_vectors &&
                         is_power_of_two(blocks.width) && blocks.width >= 2 &&
                         blocks.width <= most_lanes && blocks.rows < 0 && blocks.block_rows == 1 &&
                         blocks.remainder == ir::Remainder::moved;
  if (!has_shape || scatter.space.empty()) return std::nullopt;
  ir::LaneBlocks sized;
  sized.columns = blocks.columns;
  sized.width = blocks.width;
  auto read = read_scatter(around, scatter, of_scatter(sized, scatter));
  if (!read) return std::nullopt;
  return std::move(read->version);
}

}  // namespace dagaz::plan
