#include "plan/async_copies.h"

#include <algorithm>

#include "ir/names.h"
#include "plan/matrix_units.h"
#include "plan/memory_elements.h"
#include "plan/target.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::MatrixUnit;
using ir::NameId;
using ir::Operand;
using ir::ScalarType;

namespace {

constexpr int oldest_with_copies = 80;
constexpr std::int64_t least_bytes = 4;
constexpr std::int64_t most_bytes = 16;

/// Rows or points, as copies see them.
struct Side {
  const std::vector<NameId>& values;
  ir::Packing packing;
  std::int64_t width;  // of the tile
  std::int64_t gap;
  NameId index;      // that neighbours in memory differ in
  bool is_one_line;  // whether neighbours of a line are ones of that index
};

bool has_lines_of_elements(const ir::Contraction& plan, ir::Packing packing) {
  return plan.unit != MatrixUnit::none && packing == ir::Packing::by_elements;
}

/// Whether lines of what is staged run as memory does.
bool runs_along(const ir::Contraction& plan, ir::Packing packing) {
  return packing == ir::Packing::by_points || has_lines_of_elements(plan, packing);
}

std::int64_t line_of(const ir::Contraction& plan, ir::Packing packing, std::int64_t width) {
  return has_lines_of_elements(plan, packing) ? plan.depth : width;
}

/// Whether neighbours of a line are read from neighbouring places of an array.
bool are_neighbours(const MemoryElements& elements, const Side& side, const Surroundings& around) {
  const Operand index = side.index;
  const auto computes_with = [&](const ir::Statement& one) {
    return std::ranges::count(ir::free_names(one, around.names), side.index) > 0;
  };
  return side.is_one_line && std::ranges::none_of(elements.places.statements, computes_with) &&
         std::ranges::all_of(elements.reads, [&](const MemoryElement& read) {
           const auto found = std::ranges::find(read.indices, index);
           const auto number = static_cast<std::size_t>(found - read.indices.begin());
           return std::ranges::count(read.indices, index) == 1 &&
                  read.condition != std::optional(index) &&
                  around.layouts.of(read.array).strides[number] == Step(1);
         });
}

/// Whether a copy takes so many bytes.
bool is_of_copies(std::int64_t bytes) {
  return bytes == least_bytes || bytes == 2 * least_bytes || bytes == most_bytes;
}

/// How many neighbours a copy takes; 0: there are no copies.
int neighbours(const ir::Contraction& plan, const SumParts& parts, const Side& side,
               FunctionRef<bool(NameId)> is_memory, const Surroundings& around) {
  if (side.values.empty() || plan.unit == MatrixUnit::tf32) return 0;
  const ir::Body body =
      needed_for(parts.elements, {side.values.begin(), side.values.end()}, {}, around.names);
  const auto elements = elements_of(body, side.values, around.names);
  const auto is_there = [&](const MemoryElement& read) { return is_memory(read.array); };
  if (!elements || !std::ranges::all_of(elements->reads, is_there)) return 0;
  const bool several = runs_along(plan, side.packing) && are_neighbours(*elements, side, around);
  const std::int64_t line = line_of(plan, side.packing, side.width);
  const auto is_possible = [&](int count) {
    const bool divides = line % count == 0 && (line + side.gap) % count == 0;
    return (count == 1 || (several && divides)) &&
           std::ranges::all_of(side.values, [&](NameId value) {
             return is_of_copies(count * ir::byte_size(around.names.type(value).element));
           });
  };
  for (int count = most_bytes; count > 0; count /= 2) {
    if (is_possible(count)) return count;
  }
  return 0;
}

/// Products that a multiprocessor adds in a clock, of the fastest GPUs (sm_90).
std::int64_t products_each_clock(MatrixUnit unit) {
  switch (unit) {
    case MatrixUnit::none:
    case MatrixUnit::f64: return 128;
    case MatrixUnit::tf32: return 1024;
    case MatrixUnit::f16: return 2048;
  }
  return 1;
}

std::int64_t bytes_of(const std::vector<NameId>& values, const ir::Names& names) {
  std::int64_t bytes = 0;
  for (const NameId one : values) bytes += ir::byte_size(names.type(one).element);
  return bytes;
}

void choose_stages(ir::Contraction& plan, const Surroundings& around) {
  constexpr std::int64_t latency = 800;  // of memory that is busy, in clocks
  constexpr int most_stages = 4;
  const std::int64_t panel = std::int64_t{plan.block_rows} * plan.columns * plan.width;
  const std::int64_t products = panel * plan.most_rows * plan.most_points * plan.depth;
  // A thread with few sums has registers for other blocks beside its own.
  constexpr std::int64_t few_sums = 16;
  const std::int64_t blocks = panel <= few_sums ? 4 : std::max(plan.together, 1);
  const std::int64_t clocks =
      std::max(std::int64_t{1}, blocks * products / products_each_clock(plan.unit));
  plan.stages = static_cast<int>(
      std::clamp<std::int64_t>(1 + (latency + clocks - 1) / clocks, 2, most_stages));
  const std::int64_t row_bytes = bytes_of(plan.of_rows, around.names);
  const std::int64_t point_bytes = bytes_of(plan.of_points, around.names);
  const auto fit = [&] {
    return staged_bytes(plan, row_bytes, point_bytes) <= around.tunables().gpu_tile_bytes;
  };
  while (plan.stages > 2 && !fit()) --plan.stages;
}

}  // namespace

bool copies_elements(const TargetDescription& target, ScalarType type) {
  return target.gpu >= oldest_with_copies && is_of_copies(ir::byte_size(type));
}

std::int64_t neighbours_copied(const TargetDescription& target, ScalarType type) {
  return copies_elements(target, type) ? most_bytes / ir::byte_size(type) : 1;
}

void find_copies(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                 const SumParts& parts, FunctionRef<bool(NameId)> is_memory,
                 const Surroundings& around) {
  plan.row_copies = 0;
  plan.point_copies = 0;
  if (around.target.gpu < oldest_with_copies) return;
  const auto is_one = [&](ir::Packing packing, const std::vector<int>& joined) {
    return packing == ir::Packing::by_elements ? parts.levels.size() == 1 : joined.empty();
  };
  const auto index_of = [&](ir::Packing packing, int dimension) {
    return packing == ir::Packing::by_elements
               ? parts.levels.back().element
               : space[static_cast<std::size_t>(dimension)].index.name;
  };
  const Side rows = {plan.of_rows,
                     plan.row_packing,
                     std::int64_t{plan.most_rows} * plan.block_rows,
                     plan.row_gap,
                     index_of(plan.row_packing, plan.rows),
                     is_one(plan.row_packing, plan.joined_rows)};
  const Side points = {plan.of_points,
                       plan.point_packing,
                       std::int64_t{plan.most_points} * plan.columns * plan.width,
                       plan.point_gap,
                       index_of(plan.point_packing, plan.points),
                       is_one(plan.point_packing, plan.joined_points)};
  const int row_copies = neighbours(plan, parts, rows, is_memory, around);
  const int point_copies = neighbours(plan, parts, points, is_memory, around);
  plan.row_copies = row_copies;
  plan.point_copies = point_copies;
}

void choose_copies(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                   const SumParts& parts, const Surroundings& around) {
  const auto is_memory = [&](NameId array) {
    return !around.is_element_only(array) && around.sequence(array) == nullptr;
  };
  find_copies(plan, space, parts, is_memory, around);
  plan.stages = 2;
  if (plan.row_copies > 0 || plan.point_copies > 0) choose_stages(plan, around);
}

bool has_whole_copies(const ir::Contraction& plan) {
  const auto is_whole = [&](int copies, ir::Packing packing, std::int64_t width, int gap) {
    const std::int64_t line = line_of(plan, packing, width);
    return copies <= 1 || (runs_along(plan, packing) && line % copies == 0 && gap % copies == 0);
  };
  return is_whole(plan.row_copies, plan.row_packing, std::int64_t{plan.most_rows} * plan.block_rows,
                  plan.row_gap) &&
         is_whole(plan.point_copies, plan.point_packing,
                  std::int64_t{plan.most_points} * plan.columns * plan.width, plan.point_gap);
}

}  // namespace dagaz::plan
