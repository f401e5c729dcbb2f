#include "plan/contraction.h"

#include <algorithm>

#include "ir/names.h"
#include "plan/cost.h"
#include "plan/interchange.h"
#include "plan/lane_reading.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

// ---------------------------------------------------------------- rows and points

namespace {

enum Dependence : unsigned { on_row = 1, on_point = 2, on_element = 4 };

/// Which values of the elements are of rows, which of points, and what is left for both.
class Sides {
 public:
  Sides(const std::vector<ir::SpaceDimension>& space, const SumParts& parts,
        const ir::Contraction& plan, const ir::Names& names)
      : names_(names) {
    for (const std::size_t d : dimensions_of(plan.rows, plan.joined_rows)) {
      depends_[space[d].index.name] = on_row;
    }
    for (const std::size_t d : dimensions_of(plan.points, plan.joined_points)) {
      depends_[space[d].index.name] = on_point;
    }
    // The only row meets a point at each of its elements.
    const unsigned elements = plan.rows < 0 ? on_element | on_row : on_element;
    for (const SumLevel& level : parts.levels) depends_[level.element] = elements;
    for (const ir::Statement& one : parts.elements.statements) {
      unsigned all = 0;
      for (const NameId name : ir::free_names(one, names)) all |= of(name);
      for (const ir::Binder& result : one.results) {
        depends_[result.name] = all;
        makers_[result.name] = &one;
      }
    }
    for (const Operand& value : parts.elements.results) visit(value);
  }

  /// `most`: operations in the innermost loop, per pair of values.
  bool is_product(std::int64_t most) const {
    return legal_ && operations_ > 0 && operations_ <= most && !rows_.empty() && !points_.empty();
  }
  const std::vector<NameId>& of_rows() const { return rows_; }
  const std::vector<NameId>& of_points() const { return points_; }
  /// Whether the value is another one for other elements of a sum.
  bool varies(NameId value) const { return (of(value) & on_element) != 0; }
  std::int64_t largest() const { return largest_; }

 private:
  unsigned of(NameId name) const {
    const auto found = depends_.find(name);
    return found == depends_.end() ? 0 : found->second;
  }

  void visit(const Operand& operand) {
    if (!operand.is_name() || of(operand.name()) == 0) return;
    const NameId name = operand.name();
    if (!seen_.insert(name).second) return;
    const ir::Type& type = names_.type(name);
    legal_ = legal_ && type.is_scalar();
    largest_ = std::max<std::int64_t>(largest_, ir::byte_size(type.element));
    const unsigned depends = of(name);
    if ((depends & on_row) == 0 || (depends & on_point) == 0) {
      ((depends & on_point) != 0 ? points_ : rows_).push_back(name);
      return;
    }
    const ir::Operation& made = makers_.at(name)->operation;
    if (const auto* scalar = as<ir::Scalar>(made)) {
      operations_ += cost_of_scalar(scalar->op);
      for (const Operand& argument : scalar->arguments) visit(argument);
    } else if (const auto* identity = as<ir::Identity>(made)) {
      visit(identity->value);
    } else {
      legal_ = false;
    }
  }

  const ir::Names& names_;
  std::unordered_map<NameId, unsigned> depends_;
  std::unordered_map<NameId, const ir::Statement*> makers_;
  std::unordered_set<NameId> seen_;
  std::vector<NameId> rows_;
  std::vector<NameId> points_;
  std::int64_t operations_ = 0;
  std::int64_t largest_ = 4;
  bool legal_ = true;
};

// ---------------------------------------------------------------- panels

/// A dimension along which `lanes` reads vectors, and perhaps one along which it has rows.
struct Direction {
  NameId points;
  std::optional<NameId> rows;
};

/// Reads the values of one side; whether they are read, in vectors of neighbours.
bool reads_neighbours(const Surroundings& around, const ir::SegmentedMap& map,
                      const SumParts& parts, const std::vector<NameId>& values, int crossing,
                      const Direction& direction) {
  ir::LaneBlocks blocks;
  blocks.width = crossing;
  if (direction.rows) blocks.block_rows = crossing;
  LaneReading lanes(around, blocks);
  const auto bind = [&](NameId index) {
    lanes.bind_index(index, index == direction.rows, index == direction.points);
  };
  for (const ir::SpaceDimension& dimension : map.space) bind(dimension.index.name);
  for (const SumLevel& level : parts.levels) bind(level.element);
  const std::vector<Operand> wanted(values.begin(), values.end());
  lanes.read(needed_for(parts.elements, wanted, {}, around.names), {});
  return lanes.is_legal() && lanes.blocks().serialised.empty() && lanes.work().gathers == 0;
}

bool may_cross_over(const std::vector<NameId>& values, const ir::Names& names) {
  return std::all_of(values.begin(), values.end(), [&](NameId one) {
    return ir::byte_size(names.type(one).element) >= 4;
  });
}

ir::Packing packing_of(const Surroundings& around, const ir::SegmentedMap& map,
                       const SumParts& parts, const std::vector<NameId>& values, int crossing,
                       NameId own, bool whole_vectors) {
  if (whole_vectors &&
      reads_neighbours(around, map, parts, values, crossing, {own, std::nullopt})) {
    return ir::Packing::by_points;
  }
  const NameId element = parts.levels.back().element;
  if (may_cross_over(values, around.names) &&
      reads_neighbours(around, map, parts, values, crossing, {element, own})) {
    return ir::Packing::by_elements;
  }
  return ir::Packing::singly;
}

// ---------------------------------------------------------------- sizes

/// Whether registers hold the sums, a vector of each value of points and a value of a row; or
/// values of all rows, where one sum after another takes them.
bool fits(const ir::Contraction& plan, std::int64_t sums, const TargetDescription& target) {
  const std::int64_t parts =
      std::max<std::int64_t>(target.tunables.lane_bytes / target.register_bytes, 1);
  const auto of_points = static_cast<std::int64_t>(plan.of_points.size());
  const auto of_rows = static_cast<std::int64_t>(plan.of_rows.size());
  const std::int64_t vectors = plan.columns * (plan.block_rows * sums + of_points);
  const std::int64_t held = of_rows < sums ? of_rows * plan.block_rows : of_rows;
  return parts * vectors + held <= target.registers;
}

void choose_sizes(ir::Contraction& plan, const Sides& sides, std::int64_t sums,
                  const TargetDescription& target) {
  const Tunables& tunables = target.tunables;
  const auto int_of = [](std::int64_t value) { return static_cast<int>(value); };
  plan.width = int_of(tunables.lane_bytes / sides.largest());
  // A value of a row is loaded for one column, or for two; sums of several values of a point, each
  // with its own, load it for all of them anyway.
  const bool has_own_points = sums > 1 && static_cast<std::int64_t>(plan.of_points.size()) >= sums;
  plan.columns = target.register_bytes >= tunables.lane_bytes && !has_own_points ? 2 : 1;
  plan.block_rows = int_of(tunables.contraction_rows);
  while (plan.block_rows > 1 && !fits(plan, sums, target)) --plan.block_rows;
  const auto of_points = static_cast<int>(plan.of_points.size());
  const auto of_rows = static_cast<int>(plan.of_rows.size());
  const int least_sum = int_of(tunables.contraction_least_sum);
  // Vectors of 64 bytes of the panel's elements are half of the first cache.
  plan.depth = std::max(int_of(tunables.contraction_depth) / of_points, 4 * least_sum);
  const int panel = plan.depth * plan.block_rows * of_rows * static_cast<int>(sides.largest());
  plan.cached = std::max(target.second_cache_bytes / 2 / panel, 1);
  const int span = plan.columns * plan.width;
  // What a task copies is little beside its sums: values of points meet those of all its rows, for
  // as many sums as share them.
  const int most_extent = int_of(tunables.contraction_extent);
  const int least_extent = int_of(tunables.contraction_least_extent);
  const int products = std::max(of_rows, of_points);
  plan.most_rows = std::max(most_extent / plan.block_rows, 1);
  plan.least_rows = std::max(least_extent * of_points / products / plan.block_rows, 1);
  plan.most_points = std::max(most_extent / span, 1);
  plan.least_points = std::max(least_extent * of_rows / products / span, 1);
  plan.split = 4 * plan.depth;
}

/// Adds that `size` is `least`; whether that may be.
bool require(ir::Version& version, const Operand& size, int least) {
  if (is_known_below(size, least)) return false;
  if (!size.is_constant()) version.when.push_back(ir::at_least(size, least));
  return true;
}

}  // namespace

namespace {

/// Whether the numbers can be those of a contraction.
bool has_shape(const ir::Contraction& plan) {
  constexpr int most_block_rows = 64;
  constexpr int most_lanes = 64;
  const auto are_lanes = [](int width) {
    return width >= 2 && width <= most_lanes && (width & (width - 1)) == 0;
  };
  return plan.block_rows >= 1 && plan.block_rows <= most_block_rows && plan.columns >= 1 &&
         plan.columns <= 4 && are_lanes(plan.width) && are_lanes(plan.crossing) &&
         plan.depth >= 1 && plan.cached >= 1 && plan.least_rows >= 1 && plan.least_points >= 1 &&
         plan.most_rows >= plan.least_rows && plan.most_points >= plan.least_points &&
         plan.split >= 0 && plan.row_gap == 0 && plan.point_gap == 0 &&
         plan.unit == ir::MatrixUnit::none;
}

/// Guards under which the blocks fit, with `rows` and `points` of them at least.
std::optional<ir::Version> guarded(const ir::SegmentedMap& map, const SumParts& parts,
                                   ir::Contraction plan, int rows, int points, int least_sum) {
  const auto extent = [&](int dimension) {
    return map.space[static_cast<std::size_t>(dimension)].extent;
  };
  ir::Version version;
  bool may_be = require(version, extent(plan.rows), rows * plan.block_rows) &&
                require(version, extent(plan.points), points * plan.columns * plan.width);
  for (const SumLevel& level : parts.levels) {
    const bool innermost = &level == &parts.levels.back();
    may_be = may_be && require(version, level.width, innermost ? least_sum : 1);
  }
  if (!may_be) return std::nullopt;
  version.strategy = std::move(plan);
  return version;
}

}  // namespace

// A product with points along one dimension; `narrow`: in small blocks, for few rows and points.
static std::optional<ir::Version> product_along(const Surroundings& around,
                                                const ir::SegmentedMap& map, int along,
                                                std::int64_t least_sum, bool narrow,
                                                ir::Names& names) {
  const auto parts = sum_parts(map, Branches::refused, names);
  if (!parts) return std::nullopt;
  ir::Contraction plan;
  plan.points = along;
  for (plan.rows = static_cast<int>(map.space.size()) - 1; plan.rows >= 0; --plan.rows) {
    if (plan.rows == plan.points) continue;
    const Sides sides(map.space, *parts, plan, names);
    if (!sides.is_product(around.tunables().contraction_operations)) continue;
    plan.of_rows = sides.of_rows();
    plan.of_points = sides.of_points();
    const ir::SpaceDimension& rows = map.space[static_cast<std::size_t>(plan.rows)];
    const ir::SpaceDimension& points = map.space[static_cast<std::size_t>(plan.points)];
    choose_sizes(plan, sides, static_cast<std::int64_t>(parts->sums.size()), around.target);
    if (narrow) {
      plan.columns = 1;
      plan.block_rows = std::max(plan.block_rows / 2, 1);
    }
    const auto packing = [&](const std::vector<NameId>& values, NameId own, bool whole_vectors) {
      return packing_of(around, map, *parts, values, plan.crossing, own, whole_vectors);
    };
    plan.row_packing = packing(plan.of_rows, rows.index.name, false);
    plan.point_packing = packing(plan.of_points, points.index.name, true);
    const int least = static_cast<int>(least_sum);
    return narrow ? guarded(map, *parts, std::move(plan), 2, 1, least)
                  : guarded(map, *parts, std::move(plan), 4, 2, least);
  }
  return std::nullopt;
}

std::optional<ir::Version> contraction(const Surroundings& around, const ir::SegmentedMap& map,
                                       const std::vector<ir::Binder>& results,
                                       std::int64_t least_sum, ir::Names& names) {
  if (results.empty() || map.space.size() < 2 || !are_scalars(map.result_types)) {
    return std::nullopt;
  }
  auto points = static_cast<int>(map.space.size()) - 1;
  const Layout layout = around.layouts.of(results[0].name);
  for (std::size_t d = 0; d < map.space.size(); ++d) {
    if (layout.strides[d] == 1) points = static_cast<int>(d);
  }
  return product_along(around, map, points, least_sum, false, names);
}

std::vector<ir::Version> contractions_across(const Surroundings& around,
                                             const ir::SegmentedMap& map, std::int64_t least_sum,
                                             ir::Names& names) {
  std::vector<ir::Version> versions;
  if (!are_scalars(map.result_types) || map.space.back().extent.is_constant()) return versions;
  for (int points = static_cast<int>(map.space.size()) - 2; points > 0; --points) {
    auto version = product_along(around, map, points, least_sum, true, names);
    if (version) versions.push_back(std::move(*version));
  }
  return versions;
}

bool find_sides(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                const SumParts& parts, std::int64_t most, const ir::Names& names) {
  const Sides sides(space, parts, plan, names);
  const std::size_t pairs = std::max(sides.of_rows().size(), sides.of_points().size());
  if (!sides.is_product(most * static_cast<std::int64_t>(pairs))) return false;
  const auto take = [&](const std::vector<NameId>& values, std::vector<NameId>& of,
                        std::vector<NameId>& kept) {
    of.clear();
    kept.clear();
    for (const NameId one : values) (sides.varies(one) ? of : kept).push_back(one);
  };
  take(sides.of_rows(), plan.of_rows, plan.kept_rows);
  take(sides.of_points(), plan.of_points, plan.kept_points);
  return true;
}

std::optional<ir::Version> sized_contraction(const ir::SegmentedMap& map,
                                             const ir::Contraction& chosen,
                                             const ir::Contraction& sizes, ir::Names& names) {
  ir::Contraction plan = sizes;
  plan.rows = chosen.rows;
  plan.points = chosen.points;
  plan.row_packing = chosen.row_packing;
  plan.point_packing = chosen.point_packing;
  plan.of_rows = chosen.of_rows;
  plan.of_points = chosen.of_points;
  const auto parts = sum_parts(map, Branches::refused, names);
  if (!parts || !has_shape(plan)) return std::nullopt;
  return guarded(map, *parts, std::move(plan), 1, 1, 1);
}

}  // namespace dagaz::plan
