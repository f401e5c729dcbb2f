#include "plan/lane_tasks.h"

#include <algorithm>
#include <utility>

#include "plan/work.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

void multiply(ir::Product& product, const ir::Operand& size) {
  if (size.is_constant()) {
    product.factor *= ir::integer_value(size.constant());
  } else {
    product.sizes.push_back(size);
  }
}

ir::Product points_of(const ir::SegmentedMap& map) {
  ir::Product points;
  for (const ir::SpaceDimension& dimension : map.space) multiply(points, dimension.extent);
  return points;
}

/// That there are as many blocks of `span` points as threads, besides `when`.
std::vector<ir::Guard> with_enough(std::vector<ir::Guard> when, const ir::SegmentedMap& map,
                                   std::int64_t span) {
  ir::Product threads;
  threads.factor = span;
  threads.resident = true;
  when.push_back({points_of(map), std::move(threads)});
  return when;
}

/// All points together are less than two tasks, by what they do most: the products of most sizes.
std::vector<ir::Guard> little_work(const MapAt& at) {
  const Tunables& tunables = at.around.tunables();
  const Work work = work_of(at.map.body, at.around.names, tunables);
  std::size_t most = 0;
  for (const ir::Product& term : work.operations) most = std::max(most, term.sizes.size());
  std::vector<ir::Guard> guards;
  for (ir::Product term : work.operations) {
    if (term.sizes.size() < most) continue;
    for (const ir::SpaceDimension& dimension : at.map.space) multiply(term, dimension.extent);
    guards.push_back({{2 * tunables.task_operations, {}}, std::move(term)});
  }
  return guards;
}

const ir::LaneBlocks* blocks_without_rows(const ir::Version& version) {
  const auto* blocks = as<ir::LaneBlocks>(version.strategy);
  return blocks != nullptr && blocks->rows < 0 ? blocks : nullptr;
}

std::int64_t span_of(const ir::LaneBlocks& blocks) {
  return std::int64_t{blocks.columns} * blocks.width;
}

}  // namespace

std::vector<ir::Version> with_enough_blocks(const MapAt& at, std::vector<ir::Version> versions) {
  if (at.where != Around::host) return versions;
  std::vector<ir::Version> result;
  for (std::size_t k = 0; k < versions.size(); ++k) {
    const ir::LaneBlocks* blocks = blocks_without_rows(versions[k]);
    const bool has_narrower =
        blocks != nullptr &&
        std::any_of(versions.begin() + static_cast<std::ptrdiff_t>(k), versions.end(),
                    [&](const ir::Version& other) {
                      const ir::LaneBlocks* narrow = blocks_without_rows(other);
                      return narrow != nullptr && narrow->points == blocks->points &&
                             span_of(*narrow) < span_of(*blocks);
                    });
    if (has_narrower) {
      ir::Version small = versions[k];
      versions[k].when = with_enough(std::move(versions[k].when), at.map, span_of(*blocks));
      std::vector<ir::Guard> little = little_work(at);
      small.when.insert(small.when.end(), little.begin(), little.end());
      result.push_back(std::move(versions[k]));
      result.push_back(std::move(small));
    } else {
      result.push_back(std::move(versions[k]));
    }
  }
  return result;
}

}  // namespace dagaz::plan
