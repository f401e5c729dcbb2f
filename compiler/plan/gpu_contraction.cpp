#include "plan/gpu_contraction.h"

#include <algorithm>
#include <unordered_map>

#include "plan/asked_elements.h"
#include "plan/async_copies.h"
#include "plan/contraction.h"
#include "plan/matrix_units.h"
#include "plan/operators.h"
#include "plan/sums_in_turn.h"
#include "plan/target.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

namespace {

constexpr int side_threads = 16;  // of a block, along rows and along points
static_assert(side_threads * side_threads == block_threads);

/// Sums at the points of a space, whichever operation they are of; those in turn have sides of
/// their own, along the same dimensions.
struct Sums {
  std::vector<ir::SpaceDimension> space;
  SumParts parts;
};

/// Whether `body` reads neighbours in memory for neighbouring values of `index`.
bool reads_neighbours(const ir::Body& body, NameId index, const Surroundings& around) {
  Surroundings inside(&around);
  for (const ir::Statement& one : body.statements) {
    const ir::Index* const read = read_of(one);
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

}  // namespace

ir::Packing packing_of(const SumParts& parts, const std::vector<NameId>& values,
                       const Surroundings& around) {
  const std::vector<Operand> wanted(values.begin(), values.end());
  const ir::Body body = needed_for(parts.elements, wanted, {}, around.names);
  const bool along_sum = reads_neighbours(body, parts.levels.back().element, around);
  return along_sum ? ir::Packing::by_elements : ir::Packing::by_points;
}

namespace {

/// The plans of all sums in turn as one; nothing where these have values in common, which one of
/// them has no panel for.
std::optional<ir::Contraction> joined(const std::vector<ir::Contraction>& own, const Sums& sums,
                                      const ir::Names& names) {
  ir::Contraction all = own[0];
  const auto add = [](std::vector<NameId>& to, const std::vector<NameId>& values) {
    to.insert(to.end(), values.begin(), values.end());
  };
  for (auto one = own.begin() + 1; one != own.end(); ++one) {
    add(all.of_rows, one->of_rows);
    add(all.of_points, one->of_points);
    add(all.kept_rows, one->kept_rows);
    add(all.kept_points, one->kept_points);
  }
  const std::vector<const SumParts*> parts = in_turn(sums.parts);
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (plan_of(all, *parts[k], names) != own[k]) return std::nullopt;
  }
  return all;
}

/// Finds the sides of all sums in turn; whether each has both.
bool find_all_sides(ir::Contraction& plan, const Sums& sums, std::int64_t most,
                    const ir::Names& names) {
  std::vector<ir::Contraction> own;
  for (const SumParts* one : in_turn(sums.parts)) {
    own.push_back(plan);
    if (!find_sides(own.back(), sums.space, *one, most, names)) return false;
  }
  const std::optional<ir::Contraction> all = joined(own, sums, names);
  if (all) plan = *all;
  return all.has_value();
}

/// How values of rows and of points are read, and what multiplies them; whether that is the same
/// for all sums in turn.
bool find_reading(ir::Contraction& plan, const Sums& sums, const Surroundings& around) {
  std::vector<ir::Contraction> own;
  for (const SumParts* one : in_turn(sums.parts)) {
    own.push_back(plan_of(plan, *one, around.names));
    ir::Contraction& read = own.back();
    read.row_packing = packing_of(*one, read.of_rows, around);
    read.point_packing = packing_of(*one, read.of_points, around);
    read.unit = matrix_unit(read, *one, around);
  }
  const std::optional<ir::Contraction> all = joined(own, sums, around.names);
  if (all) plan = *all;
  return all.has_value();
}

/// Makes the other dimensions of the space points or rows as well where these do not meet there;
/// what is left is a batch.
void join_dimensions(ir::Contraction& plan, const Sums& sums, std::int64_t most,
                     const ir::Names& names) {
  const auto is_free = [&](int d) {
    return d != plan.rows && d != plan.points;
  };
  for (int d = plan.points - 1; d >= 0; --d) {
    if (!is_free(d)) continue;
    ir::Contraction wider = plan;
    wider.joined_points.insert(wider.joined_points.begin(), d);
    if (!find_all_sides(wider, sums, most, names)) {
      if (d > plan.rows) continue;
      wider = plan;
      wider.joined_rows.insert(wider.joined_rows.begin(), d);
      if (!find_all_sides(wider, sums, most, names)) continue;
    }
    plan = std::move(wider);
  }
}

/// The dimensions of rows and points, whose values are staged, and these; whether there are such.
bool find_rows_and_points(ir::Contraction& plan, const Sums& sums, const Surroundings& around) {
  const std::int64_t most = around.tunables().contraction_operations;
  for (plan.points = static_cast<int>(sums.space.size()) - 1; plan.points > 0; --plan.points) {
    for (plan.rows = plan.points - 1; plan.rows >= 0; --plan.rows) {
      if (!find_all_sides(plan, sums, most, around.names)) continue;
      join_dimensions(plan, sums, most, around.names);
      return find_reading(plan, sums, around);
    }
  }
  return false;
}

/// All dimensions as points, beside what all of them share, if points keep what is their own.
bool find_points(ir::Contraction& plan, const Sums& sums, const Surroundings& around) {
  constexpr std::int64_t any = std::int64_t{1} << 40;
  plan.rows = -1;
  plan.points = static_cast<int>(sums.space.size()) - 1;
  for (int d = 0; d < plan.points; ++d) plan.joined_points.push_back(d);
  return sums.parts.further.empty() &&
         find_sides(plan, sums.space, sums.parts, any, around.names) && plan.of_points.empty() &&
         !plan.of_rows.empty();
}

/// Of the values of a row, and of a point, that wait for one element of the sums.
struct SideBytes {
  std::int64_t rows = 0;
  std::int64_t points = 0;
};

SideBytes side_bytes(const ir::Contraction& plan, const Sums& sums, const ir::Names& names) {
  const auto bytes_of = [&](const std::vector<NameId>& values) {
    std::int64_t bytes = 0;
    for (const NameId one : values) bytes += ir::byte_size(names.type(one).element);
    return bytes;
  };
  SideBytes most;
  for (const SumParts* one : in_turn(sums.parts)) {
    const ir::Contraction own = plan_of(plan, *one, names);
    most.rows = std::max(most.rows, bytes_of(own.of_rows));
    most.points = std::max(most.points, bytes_of(own.of_points));
  }
  return most;
}

/// Sums of a thread, and what it runs for each of them at the end.
struct Held {
  std::int64_t bytes = 0;
  std::int64_t statements_each = 0;  // for an element
  std::int64_t statements = 0;
};

Held held_of(const ir::Contraction& plan, const Sums& sums, const ir::Names& names) {
  Held held{0, 0, std::ssize(sums.parts.after.statements)};
  for (const SumParts* one : in_turn(sums.parts)) {
    const ProductSides sides = sides_of(plan, sums.space, one->elements, names);
    held.statements_each = std::max(held.statements_each, std::ssize(sides.combined.statements));
  }
  if (plan.unit != ir::MatrixUnit::none) {
    held.bytes = ir::byte_size(ir::sum_type(plan.unit));
    return held;
  }
  for (const Operand& one : sums.parts.elements.results) {
    held.bytes += ir::byte_size(names.type(one).element);
  }
  return held;
}

/// How many sums a thread has, and how many threads a block, along rows and along points.
struct Tile {
  int rows;
  int points;
  int threads_along_rows = side_threads;
  int threads_along_points = side_threads;
};

/// Sets a tile; whether its threads' registers and the block's memory hold it, and the code is not
/// too long.
bool choose_sizes(ir::Contraction& plan, const Tile& tile, const Held& held,
                  const SideBytes& values, const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  const auto [rows, points, threads_along_rows, threads_along_points] = tile;
  plan.block_rows = rows;
  plan.columns = points;
  plan.width = 1;
  plan.stages = 2;
  plan.most_rows = threads_along_rows;
  plan.most_points = threads_along_points;
  const auto [row_bytes, point_bytes] = values;
  if (plan.unit != ir::MatrixUnit::none) {
    choose_lines(plan);
  } else {
    plan.depth = side_threads;
    // Threads that write one after the other write to lines one after the other.
    // Rows are read four at a time and points two, by aligned loads.
    plan.row_gap = plan.row_packing == ir::Packing::by_elements ? widest_row_gap : 0;
    plan.point_gap = plan.point_packing == ir::Packing::by_elements ? widest_point_gap : 0;
  }
  plan.unrolled = rows * points * held.statements_each <= tunables.gpu_tile_statements;
  // Twice, so that the next elements are staged while these are used.
  const auto staged = [&] { return staged_bytes(plan, row_bytes, point_bytes); };
  const int least_depth = ir::shape_of(plan.unit).elements;
  while (plan.depth > least_depth && staged() > tunables.gpu_tile_bytes) plan.depth /= 2;
  const std::int64_t sums = rows * points * held.bytes;
  const std::int64_t used = sums + rows * row_bytes + points * point_bytes;
  // What fits half of the registers a thread may have in a block alone leaves room for a second
  // block, which works while the first waits; small tiles leave room for more by themselves.
  plan.together = used > tunables.gpu_tile_sums / 2 && used <= tunables.gpu_tile_pair ? 2 : 0;
  return sums <= tunables.gpu_tile_sums && used <= tunables.gpu_tile_held &&
         staged() <= tunables.gpu_tile_bytes && has_whole_matrices(plan) &&
         block_threads * points * (held.bytes + 16) <= tunables.gpu_tile_bytes &&
         rows * points * held.statements <= tunables.gpu_tile_statements;
}

/// Whether two blocks have no registers left for what waits there while a chunk is multiplied:
/// sums, the factors of an element and of the next one, and what the thread stages of the next
/// chunk.
bool lacks_registers(const ir::Contraction& plan, const Held& held, const SideBytes& values,
                     const Surroundings& around) {
  constexpr int least_depth = 8;  // two steps of the loop that multiplies
  if (plan.together == 0 || plan.unit != ir::MatrixUnit::none || plan.depth <= least_depth) {
    return false;
  }
  const auto [row_bytes, point_bytes] = values;
  const std::int64_t panels = plan.block_rows * plan.columns * held.bytes +
                              2 * (plan.block_rows * row_bytes + plan.columns * point_bytes);
  const auto staged = [&](int copies, int threads, int panel, std::int64_t bytes) {
    return copies > 0 ? 0 : threads * panel * plan.depth * bytes / block_threads;
  };
  return panels + staged(plan.row_copies, plan.most_rows, plan.block_rows, row_bytes) +
             staged(plan.point_copies, plan.most_points, plan.columns, point_bytes) >
         around.tunables().gpu_tile_waiting;
}

/// Copies that all sums in turn may have.
void choose_all_copies(ir::Contraction& plan, const Sums& sums, const Surroundings& around) {
  std::vector<ir::Contraction> own;
  for (const SumParts* one : in_turn(sums.parts)) {
    own.push_back(plan_of(plan, *one, around.names));
    choose_copies(own.back(), sums.space, *one, around);
  }
  const auto same = [&](int ir::Contraction::* copies) {
    const int wanted = own.front().*copies;
    const auto is_wanted = [&](const ir::Contraction& one) { return one.*copies == wanted; };
    return std::ranges::all_of(own, is_wanted) ? wanted : 0;
  };
  plan.row_copies = same(&ir::Contraction::row_copies);
  plan.point_copies = same(&ir::Contraction::point_copies);
  const bool has_copies = plan.row_copies > 0 || plan.point_copies > 0;
  plan.stages = has_copies ? own.front().stages : 2;
}

/// The product of extents.
ir::Product product_of(const Sums& sums, const std::vector<std::size_t>& dimensions) {
  ir::Product all;
  for (const std::size_t d : dimensions) all.sizes.push_back(sums.space[d].extent);
  return all;
}

ir::Guard are_at_least(ir::Product sizes, std::int64_t least) {
  return {std::move(sizes), {least, {}}};
}

ir::Guard has_elements(const Sums& sums, std::int64_t least) {
  ir::Product elements;
  for (const SumLevel& level : sums.parts.levels) elements.sizes.push_back(level.width);
  return are_at_least(std::move(elements), least);
}

/// A thread for every `sums_each` sums fills a part of the device, one of `parts`.
ir::Guard fill(const Sums& sums, std::int64_t sums_each, std::int64_t parts) {
  ir::Product all{parts, {}};
  for (const ir::SpaceDimension& one : sums.space) all.sizes.push_back(one.extent);
  return {std::move(all), {sums_each, {}, true}};
}

/// No more than a quarter of a tile's rows, and of its points, is outside the space; half where
/// another tile is hardly better.
std::vector<ir::Guard> are_inside(const ir::Contraction& plan, const Sums& sums, int quarters) {
  const auto fill_side = [&](const std::vector<std::size_t>& dimensions, int width) {
    return are_at_least(product_of(sums, dimensions), std::int64_t{width} * quarters / 4);
  };
  return {fill_side(dimensions_of(plan.rows, plan.joined_rows), plan.most_rows * plan.block_rows),
          fill_side(dimensions_of(plan.points, plan.joined_points),
                    plan.most_points * plan.columns),
          has_elements(sums, plan.depth / 2)};
}

/// Tiles of rows and points: large ones where these fill a part of the device, long ones for a
/// short side, smaller ones, and those of a sum a thread for two short sides.
std::vector<ir::Version> in_tiles(ir::Contraction plan, const Sums& sums,
                                  const Surroundings& around) {
  const auto side = static_cast<int>(around.tunables().gpu_tile_side);
  plan.split = static_cast<int>(around.tunables().gpu_tile_split);
  std::vector<ir::Version> versions;
  const auto add = [&](const Tile& tile, int quarters) {
    const Held held = held_of(plan, sums, around.names);
    const SideBytes values = side_bytes(plan, sums, around.names);
    if (!choose_sizes(plan, tile, held, values, around)) return false;
    choose_all_copies(plan, sums, around);
    while (lacks_registers(plan, held, values, around)) {
      plan.depth /= 2;
      choose_all_copies(plan, sums, around);
    }
    versions.push_back({are_inside(plan, sums, quarters), plan});
    return true;
  };
  const auto add_large = [&](const Tile& tile, int quarters) {
    if (!add(tile, quarters)) return false;
    versions.back().when.push_back(fill(sums, std::int64_t{tile.rows} * tile.points, 16));
    return true;
  };
  int next = side;
  if (add_large({side, side}, 3)) {
    add_large({side, side, 2 * side_threads, side_threads / 2}, 3);
    add_large({side, side, side_threads / 2, 2 * side_threads}, 3);
    next = side / 2;
  } else {
    for (; next >= 2 && versions.empty(); next /= 2) {
      if (!add_large({next, next}, 2)) add_large({next, next / 2}, 2);
    }
  }
  for (bool added = false; next >= 2 && !added; next /= 2) {
    added = add({next, next}, 2) || add({next, next / 2}, 2);
  }
  plan.unit = ir::MatrixUnit::none;  // a thread has part of a matrix in more than one sum
  add({1, 1}, 2);
  return versions;
}

/// A thread for some points, who meet elements that the block has staged: the first takes several,
/// where these are enough threads; where one for each is too few, blocks share the elements.
std::vector<ir::Version> by_points(ir::Contraction plan, const Sums& sums,
                                   const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  const Held held = held_of(plan, sums, around.names);
  const SideBytes values = side_bytes(plan, sums, around.names);
  std::vector<ir::Version> versions;
  for (const int points : {static_cast<int>(tunables.gpu_tile_points), 1}) {
    if (!choose_sizes(plan, {1, points}, held, values, around)) continue;
    plan.most_rows = 1;
    plan.most_points = block_threads;
    plan.depth = static_cast<int>(
        std::min(std::int64_t{block_threads}, tunables.gpu_tile_bytes / 2 / values.rows));
    versions.push_back({{has_elements(sums, side_threads), fill(sums, points, 4)}, plan});
    if (points == 1) break;
  }
  if (!versions.empty() && plan.columns == 1) {
    plan.split = static_cast<int>(tunables.gpu_shared_segment);
    plan.depth = std::min(plan.depth, plan.split);
    ir::Product points;
    for (const ir::SpaceDimension& one : sums.space) points.sizes.push_back(one.extent);
    versions.push_back({{has_elements(sums, side_threads),
                         are_at_least(std::move(points), block_threads / 2)},
                        plan});
  }
  return versions;
}

std::vector<ir::Version> versions_of(const Sums& sums, const Surroundings& around) {
  ir::Contraction plan;
  if (find_rows_and_points(plan, sums, around)) return in_tiles(plan, sums, around);
  plan = {};
  if (find_points(plan, sums, around)) return by_points(plan, sums, around);
  return {};
}

}  // namespace

std::vector<ir::Version> gpu_contraction(const ir::SegmentedReduce& e, const Surroundings& around,
                                         ir::Names& names) {
  if (e.space.size() < 2) return {};
  auto parts = tile_sums(e, names);
  if (!parts) return {};
  return versions_of({{e.space.begin(), e.space.end() - 1}, std::move(*parts)}, around);
}

std::vector<ir::Version> gpu_contraction(const ir::SegmentedMap& e, const Surroundings& around,
                                         ir::Names& names) {
  if (e.space.empty() || !are_scalars(e.result_types)) return {};
  auto parts = tile_sums(e, names);
  if (!parts) return {};
  return versions_of({e.space, std::move(*parts)}, around);
}

}  // namespace dagaz::plan
