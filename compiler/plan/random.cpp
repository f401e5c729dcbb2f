#include "plan/random.h"

namespace dagaz::plan {

ir::LaneBlocks RandomSchedules::blocks(const MapAt& at) {
  const auto dimensions = static_cast<int>(at.map.space.size());
  ir::LaneBlocks blocks;
  blocks.points = below(dimensions);
  blocks.rows = below(dimensions + 1) - 1;
  if (blocks.rows == blocks.points) blocks.rows = -1;
  blocks.block_rows = blocks.rows < 0 ? 1 : one_of({1, 2, 3, 4, 5, 8});
  blocks.columns = one_of({1, 2, 3, 4});
  blocks.width = one_of({2, 4, 8, 16});
  blocks.chunk = one_of({1, 2, 64});
  const bool may_serialise = dimensions == 1 && at.where == Around::host;
  if (may_serialise && flips()) blocks.remainder = ir::Remainder::serialised;
  return blocks;
}

ir::LaneBlocks RandomSchedules::blocks_of_reduction() {
  ir::LaneBlocks blocks;
  blocks.columns = one_of({1, 2, 3, 4});
  blocks.width = one_of({2, 4, 8, 16});
  return blocks;
}

ir::Contraction RandomSchedules::contraction() {
  ir::Contraction sizes;
  sizes.block_rows = one_of({1, 2, 3, 6, 8, 12});
  sizes.columns = one_of({1, 2});
  sizes.width = one_of({4, 8, 16});
  sizes.depth = one_of({1, 5, 64, 256});
  sizes.cached = one_of({1, 2, 16});
  sizes.least_rows = one_of({1, 2});
  sizes.least_points = one_of({1, 2});
  sizes.most_rows = one_of({2, 3, 64});
  sizes.most_points = one_of({2, 5, 64});
  sizes.split = one_of({0, 4, 64, 1024});
  return sizes;
}

ir::Schedule RandomSchedules::map(const MapAt& at, const std::optional<ir::Version>& product,
                                  std::vector<ir::Strategy> ways) {
  std::vector<ir::Version> versions;
  if (product && flips()) versions.push_back(*product);
  if (!versions.empty() && versions.back().when.empty()) return {std::move(versions)};
  if (!at.map.space.empty()) {
    for (int tries = below(4); tries > 0; --tries) {
      const Packing packing = flips() ? Packing::allowed : Packing::forbidden;
      auto version = completed_blocks(at, blocks(at), packing);
      if (!version) continue;
      const bool is_last = version->when.empty();
      versions.push_back(std::move(*version));
      if (is_last) return {std::move(versions)};
    }
  }
  return with_last(std::move(versions), std::move(ways));
}

ir::Schedule RandomSchedules::reduction(std::vector<ir::Version> lanes,
                                        std::vector<ir::Strategy> ways) {
  if (flips()) lanes.clear();
  return with_last(std::move(lanes), std::move(ways));
}

ir::Schedule RandomSchedules::with_last(std::vector<ir::Version> versions,
                                        std::vector<ir::Strategy> ways) {
  ways.push_back(ir::Pointwise{});
  const auto chosen = static_cast<std::size_t>(below(static_cast<int>(ways.size())));
  versions.push_back({{}, std::move(ways[chosen])});
  return {std::move(versions)};
}

ir::Interchanged RandomSchedules::interchanged() {
  return {one_of({1, 3, 16, 256}), one_of({1, 2, 4, 7})};
}

ir::HeldBlocks RandomSchedules::held_blocks() { return {one_of({1, 7, 64, 256})}; }

}  // namespace dagaz::plan
