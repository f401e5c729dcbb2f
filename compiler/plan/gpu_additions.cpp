#include "plan/gpu_additions.h"

#include "ir/names.h"
#include "plan/operators.h"
#include "plan/target.h"

namespace dagaz::plan {

using ir::Guard;
using ir::NameId;

bool adds_numbers(NameId accumulator, const Surroundings& around) {
  const Opened* const opened = around.opened(accumulator);
  return opened != nullptr && opened->op != nullptr && opened->row.is_scalar() &&
         is_positionwise(*opened->op, around.names);
}

std::optional<ir::Version> additions_in_blocks(const ir::SegmentedMap& e,
                                               const Surroundings& around) {
  std::vector<NameId> accumulators;
  for (const NameId name : ir::free_names(e.body, around.names)) {
    if (around.names.type(name).kind != ir::TypeKind::accumulator) continue;
    if (!adds_numbers(name, around)) return std::nullopt;
    accumulators.push_back(name);
  }
  if (accumulators.empty()) return std::nullopt;
  // Each gets an equal part of the memory; a point adds something to each.
  const ir::BlockBins bins{.elements = 1, .atomic = true};
  const auto count = std::ssize(accumulators);
  ir::Product points{4 * block_threads, {}};
  for (const ir::SpaceDimension& one : e.space) points.sizes.push_back(one.extent);
  std::vector<Guard> guards;
  for (const NameId name : accumulators) {
    const ir::Type& type = around.names.type(name);
    const std::int64_t most = around.tunables().gpu_bin_bytes / count - 16;
    guards.push_back({{most / ir::byte_size(type.element), {}}, {1, type.shape}});
    guards.push_back({points, {count, type.shape, true}});
  }
  return ir::Version{std::move(guards), bins};
}

}  // namespace dagaz::plan
