#include "plan/gpu_contraction.h"

#include <algorithm>
#include <unordered_map>

#include "plan/contraction.h"
#include "plan/operators.h"
#include "plan/target.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

constexpr int side_threads = 16;             // of a block, along rows and along points
static_assert(side_threads * side_threads == block_threads);
constexpr int most_side = 8;                 // rows, and points, of a thread
constexpr int least_split = 512;             // elements for each block that shares a sum
constexpr std::int64_t most_sum_bytes = 256;  // of a thread's registers
constexpr std::int64_t most_staged_bytes = std::int64_t{40} << 10;

/// The reduction as sums over the innermost dimension of its space.
SumParts parts_of(const ir::SegmentedReduce& e) {
  SumParts parts;
  parts.levels.push_back({e.space.back().extent, e.space.back().index.name});
  parts.elements = e.body;
  return parts;
}

bool may_be_product(const ir::SegmentedReduce& e) {
  std::size_t reduced = 0;
  for (const ir::ReduceOperator& one : e.operators) {
    reduced += one.neutral.size();
    if (!is_commutative(one) || !are_scalars(one.op.result_types) ||
        !is_straight(one.op.body.statements)) {
      return false;
    }
  }
  return e.space.size() >= 3 && reduced == e.body.results.size() &&
         is_straight(e.body.statements);
}

/// Whether `body` reads neighbours in memory for neighbouring values of `index`.
bool reads_neighbours(const ir::Body& body, NameId index, const Surroundings& around) {
  Surroundings inside(&around);
  for (const ir::Statement& one : body.statements) {
    const auto* read = as<ir::Index>(one.operation);
    if (read == nullptr || inside.is_element_only(read->array)) {
      inside.layouts.enter(one);
      continue;
    }
    const Layout layout = inside.layouts.of(read->array);
    for (std::size_t k = 0; k < read->indices.size(); ++k) {
      if (read->indices[k] == Operand(index) && layout.strides[k] == Step(1)) return true;
    }
    inside.layouts.enter(one);
  }
  return false;
}

ir::Packing packing_of(const ir::SegmentedReduce& e, const std::vector<NameId>& values,
                       const Surroundings& around) {
  const std::vector<Operand> wanted(values.begin(), values.end());
  const ir::Body body = needed_for(e.body, wanted, {}, around.names);
  const bool along_sum = reads_neighbours(body, e.space.back().index.name, around);
  return along_sum ? ir::Packing::by_elements : ir::Packing::by_points;
}

/// The dimensions whose values are staged, and these; whether there are such.
bool find_dimensions(ir::Contraction& plan, const ir::SegmentedReduce& e,
                     const Surroundings& around) {
  const SumParts parts = parts_of(e);
  const std::int64_t most = around.tunables().contraction_operations;
  const auto last = static_cast<int>(e.space.size()) - 2;
  for (plan.points = last; plan.points > 0; --plan.points) {
    for (plan.rows = plan.points - 1; plan.rows >= 0; --plan.rows) {
      if (find_sides(plan, e.space, parts, most, around.names) == 0) continue;
      plan.row_packing = packing_of(e, plan.of_rows, around);
      plan.point_packing = packing_of(e, plan.of_points, around);
      return true;
    }
  }
  return false;
}

std::int64_t bytes_of(const std::vector<NameId>& values, const ir::Names& names) {
  std::int64_t bytes = 0;
  for (const NameId one : values) bytes += ir::byte_size(names.type(one).element);
  return bytes;
}

/// With `rows` by `points` sums a thread; whether its registers and the block's memory hold them.
bool choose_sizes(ir::Contraction& plan, int rows, int points, std::int64_t sum_bytes,
                  const ir::Names& names) {
  plan.block_rows = rows;
  plan.columns = points;
  plan.width = 1;
  plan.most_rows = side_threads;
  plan.most_points = side_threads;
  plan.depth = side_threads;
  // Twice, so that the next elements are staged while these are used; and a word a line more.
  const std::int64_t staged =
      2 * plan.depth * ((side_threads * rows + 1) * bytes_of(plan.of_rows, names) +
                        (side_threads * points + 1) * bytes_of(plan.of_points, names));
  return rows * points * sum_bytes <= most_sum_bytes && staged <= most_staged_bytes;
}

/// Tiles of this size fill half of the device, and are not mostly outside the space.
std::vector<ir::Guard> worth(const ir::Contraction& plan, const ir::SegmentedReduce& e,
                             std::int64_t least_blocks) {
  const auto extent = [&](int d) { return e.space[static_cast<std::size_t>(d)].extent; };
  const std::int64_t sums = std::int64_t{plan.block_rows} * plan.columns;
  ir::Product all{least_blocks, {}};
  for (std::size_t d = 0; d + 1 < e.space.size(); ++d) all.sizes.push_back(e.space[d].extent);
  return {ir::at_least(extent(plan.rows), side_threads * plan.block_rows / 2),
          ir::at_least(extent(plan.points), side_threads * plan.columns / 2),
          ir::at_least(e.space.back().extent, plan.depth),
          {std::move(all), {sums, {}, true}}};
}

}  // namespace

std::vector<ir::Version> gpu_contraction(const ir::SegmentedReduce& e, const Surroundings& around) {
  if (!may_be_product(e)) return {};
  ir::Contraction plan;
  if (!find_dimensions(plan, e, around)) return {};
  std::int64_t sum_bytes = 0;
  for (const Operand& one : e.body.results) {
    sum_bytes += ir::byte_size(around.names.type(one).element);
  }
  plan.split = least_split;
  std::vector<ir::Version> versions;
  for (int rows = most_side, points = most_side; rows >= 2; rows /= 2, points /= 2) {
    if (!choose_sizes(plan, rows, points, sum_bytes, around.names) &&
        !choose_sizes(plan, rows, points / 2, sum_bytes, around.names)) {
      continue;
    }
    const bool smallest = versions.size() == 1;
    // A block is an eighth of the threads that a multiprocessor holds.
    std::vector<ir::Guard> guards = worth(plan, e, 16);
    if (smallest) guards.pop_back();
    versions.push_back({std::move(guards), plan});
    if (smallest) break;
  }
  return versions;
}

}  // namespace dagaz::plan
