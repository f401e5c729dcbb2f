#include "plan/gpu_staging.h"

#include <algorithm>

#include "plan/async_copies.h"
#include "plan/operators.h"
#include "plan/surroundings.h"
#include "plan/target.h"
#include "plan/versions.h"

namespace dagaz::plan {

using ir::Guard;
using ir::NameId;
using ir::Operand;

namespace {

/// Whether `limit` is 0 or less, or the index of the last element, or more.
bool is_edge(const BoxTerm& limit, const Operand& extent, const Surroundings& around) {
  const auto number = [](const Operand& one) {
    return one.is_constant() ? std::optional(ir::integer_value(one.constant())) : std::nullopt;
  };
  if (limit.factor > 0) return number(limit.value).value_or(1) <= 0;
  if (number(limit.value) && number(extent)) return *number(limit.value) >= *number(extent) - 1;
  if (!limit.value.is_name()) return false;
  const ir::Scalar* const last = around.computed(limit.value.name());
  if (last == nullptr || last->arguments.size() != 2 || last->arguments[0] != extent) return false;
  const auto by = number(last->arguments[1]);
  return (last->op == ir::ScalarOp::add && by == -1) || (last->op == ir::ScalarOp::sub && by == 1);
}

bool is_window(const Box& box) {
  return std::any_of(box.sides.begin(), box.sides.end(),
                     [](const BoxSide& one) { return !one.points.empty() && !one.loops.empty(); });
}

/// Whether threads read elements that others read as well, more than once in all, or neighbours
/// what lies apart.
bool is_read_often(const Box& box, const PointCode& code) {
  const auto all = [&](const auto& holds) {
    return std::all_of(box.sides.begin(), box.sides.end(), holds);
  };
  const bool is_narrow = all([](const BoxSide& one) { return one.loops.empty(); });
  // A point's own elements are not read by others, unless there are several of these.
  if (is_narrow) {
    if (box.crosses && box.certain) return true;
    return box.reads > 1 &&
           !all([](const BoxSide& one) { return one.points.empty() || one.least == one.most; });
  }
  if (!box.certain) return false;
  // What a point alone reads is read well enough where its neighbours read what lies beside.
  const Operand innermost = code.space.back().index.name;
  const bool is_shared = all([&](const BoxSide& one) {
    return std::none_of(one.points.begin(), one.points.end(),
                        [&](const BoxTerm& term) { return term.value == innermost; });
  });
  return is_window(box) || is_shared || box.crosses;
}

/// Whether each point has a line of its own, as long as a loop in its body is.  Others, along which
/// segments are reduced, are short where points do so.
bool has_long_lines(const Box& box, const PointCode& code) {
  const auto& lines = box.sides.back().loops;
  return box.crosses && std::any_of(lines.begin(), lines.end(), [&](const BoxTerm& line) {
           return std::none_of(
               code.inner.begin(), code.inner.end(),
               [&](const ir::SpaceDimension& one) { return one.extent == line.value; });
         });
}

/// How many elements a box has at most: `number` times the product of sizes, each of which is one
/// that a loop counts to; others are at most `window`.
struct Extent {
  std::int64_t number = 1;
  std::vector<Operand> sizes;
  std::vector<Operand> windows;
  bool has_odd_lines = false;  // the last of the sizes counts as odd
};

bool is_limit(const Guard& one) { return one.size.sizes.empty() && !one.least.resident; }
bool is_minimum(const Guard& one) { return one.least.sizes.empty() && !one.least.resident; }

/// Whether a size would have to be more than it may be.
bool contradict(const std::vector<Guard>& guards) {
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& limit) {
    return is_limit(limit) && std::any_of(guards.begin(), guards.end(), [&](const Guard& one) {
             return is_minimum(one) && one.size == limit.least &&
                    one.least.factor > limit.size.factor;
           });
  });
}

class Choice {
 public:
  Choice(const PointCode& code, const std::vector<Guard>& when, const Surroundings& around)
      : code_(code), when_(when), around_(around) {}

  /// Under its guards; nothing where no box fits.
  std::optional<ir::Version> version(std::vector<Box> boxes, int rows, int points) {
    rows_ = rows;
    points_ = points;
    std::int64_t share = 0;
    const auto is_too_large = [&](const Box& box) { return bytes_of(box) > share; };
    do {
      if (boxes.empty()) return std::nullopt;
      share = around_.tunables().gpu_staged_bytes / std::ssize(boxes);
    } while (std::erase_if(boxes, is_too_large) > 0);
    ir::StagedTiles tiles{rows, points, {}};
    ir::Version chosen{when_, {}};
    for (const Box& box : boxes) {
      tiles.staged.push_back(box.array);
      const ir::ScalarType type = around_.names.type(box.array).element;
      if (copies_elements(around_.target, type)) tiles.copied.push_back(box.array);
      if (neighbours_of(box) > 1) tiles.wide.push_back(box.array);
      for (Guard& one : guards_of(box, share)) chosen.when.push_back(std::move(one));
    }
    chosen.strategy = std::move(tiles);
    return chosen;
  }

 private:
  std::int64_t bytes_of(const Box& box) const {
    return extent_of(box).number * ir::byte_size(around_.names.type(box.array).element);
  }

  std::vector<Guard> guards_of(const Box& box, std::int64_t share) const {
    std::vector<Guard> guards;
    const Extent extent = extent_of(box);
    for (const Operand& one : extent.windows) {
      guards.push_back(at_most(one, around_.tunables().gpu_window));
    }
    if (!extent.sizes.empty()) {
      std::int64_t most = share / bytes_of(box);
      if (extent.has_odd_lines) most = extent.sizes.size() == 1 ? (most - 1) | 1 : most / 2;
      guards.push_back({{most, {}}, {1, extent.sizes}});
    }
    return guards;
  }

  std::int64_t tile_extent(const Operand& index) const {
    const auto& space = code_.space;
    if (index == Operand(space.back().index.name)) return points_;
    const bool is_row = space.size() > 1 && index == Operand(space[space.size() - 2].index.name);
    return is_row ? rows_ : 1;
  }

  /// Of a side where nothing is counted.
  std::int64_t elements_of(const BoxSide& side) const {
    std::int64_t number = side.most - side.least + 1;
    for (const BoxTerm& one : side.points) {
      number += std::abs(one.factor) * (tile_extent(one.value) - 1);
    }
    return number;
  }

  /// How many neighbours of a line a copy takes: more than one where a warp has an element for each
  /// of its threads to copy, at least, and reads what lies side by side.
  std::int64_t neighbours_of(const Box& box) const {
    const bool are_neighbours = around_.layouts.of(box.array).strides.back() == Step(1);
    const bool is_long = elements_of(box.sides.back()) >= warp_threads;
    if (box.crosses || !are_neighbours || !is_long) return 1;
    return neighbours_copied(around_.target, around_.names.type(box.array).element);
  }

  Extent extent_of(const Box& box) const {
    Extent extent;
    for (const BoxSide& side : box.sides) {
      std::int64_t number = elements_of(side);
      const bool is_loop = number == 1 && side.loops.size() == 1 &&
                           std::abs(side.loops[0].factor) == 1 && side.loops[0].value.is_name();
      for (const BoxTerm& one : side.loops) {
        if (is_loop) {
          extent.sizes.push_back(one.value);
          continue;
        }
        const bool is_number = one.value.is_constant();
        const std::int64_t end =
            is_number ? ir::integer_value(one.value.constant()) : around_.tunables().gpu_window;
        number += std::abs(one.factor) * (std::max<std::int64_t>(end, 1) - 1);
        if (!is_number) extent.windows.push_back(one.value);
      }
      number = std::min(number, most_elements);
      if (box.crosses && &side == &box.sides.back()) {
        extent.has_odd_lines = is_loop;
        number += is_loop ? 0 : 1;
      }
      if (&side == &box.sides.back()) {
        const std::int64_t neighbours = neighbours_of(box);
        number = (number + 2 * (neighbours - 1)) / neighbours * neighbours;
      }
      extent.number = std::min(extent.number * number, most_elements);
    }
    return extent;
  }

  static constexpr std::int64_t most_elements = 1 << 24;

  const PointCode& code_;
  const std::vector<Guard>& when_;
  const Surroundings& around_;
  int rows_ = 1;
  int points_ = 1;
};

/// So many threads for each point fill a part of the device, one of `parts`.
Guard fill(const PointCode& code, std::int64_t points, std::int64_t parts) {
  ir::Product all{parts, {}};
  for (const ir::SpaceDimension& one : code.space) all.sizes.push_back(one.extent);
  return {std::move(all), {points, {}, true}};
}

std::vector<Box> known_boxes(const PointCode& code, const Surroundings& around) {
  const auto count = [&](NameId array) -> std::optional<Operand> {
    const Sequence* const known = around.sequence(array);
    const bool counts = known != nullptr && known->element == ir::ScalarType::i64 &&
                        known->stride && is_constant(*known->stride, 1);
    return counts ? std::optional(known->start) : std::nullopt;
  };
  const auto is_memory = [&](NameId array) { return !around.is_element_only(array); };
  const auto edge = [&](const BoxTerm& limit, NameId array, std::size_t dimension) {
    return is_edge(limit, around.names.type(array).shape[dimension], around);
  };
  return boxes_of(code, {count, is_memory, edge}, around.names);
}

std::vector<Box> boxes_read_often(const PointCode& code, const Surroundings& around) {
  std::vector<Box> boxes = known_boxes(code, around);
  std::erase_if(boxes, [&](const Box& box) { return !is_read_often(box, code); });
  return boxes;
}

/// What the innermost index of the space adds to an index along the dimension, times.
std::int64_t steps_along(const BoxSide& side, const PointCode& code) {
  const Operand innermost = code.space.back().index.name;
  for (const BoxTerm& one : side.points) {
    if (one.value == innermost) return one.factor;
  }
  return 0;
}

/// Whether the index differs between points of a tile.
bool is_of_tile(const BoxTerm& point, const PointCode& code) {
  const std::size_t first = code.space.size() - std::min<std::size_t>(code.space.size(), 2);
  return std::any_of(
      code.space.begin() + static_cast<std::ptrdiff_t>(first), code.space.end(),
      [&](const ir::SpaceDimension& one) { return point.value == Operand(one.index.name); });
}

/// Of boxes that all points of a tile share, where others may be too large.
std::vector<Box> tables_beside(const std::vector<Box>& boxes, const PointCode& code) {
  std::vector<Box> tables;
  for (const Box& box : boxes) {
    const bool is_table = std::all_of(box.sides.begin(), box.sides.end(), [&](const BoxSide& one) {
      return std::none_of(one.points.begin(), one.points.end(),
                          [&](const BoxTerm& point) { return is_of_tile(point, code); });
    });
    if (is_table) tables.push_back(box);
  }
  const bool may_be_large = std::any_of(boxes.begin(), boxes.end(), [](const Box& box) {
    return std::any_of(box.sides.begin(), box.sides.end(),
                       [](const BoxSide& one) { return one.points.empty() && !one.loops.empty(); });
  });
  if (!may_be_large || tables.size() == boxes.size()) tables.clear();
  return tables;
}

}  // namespace

bool reads_lines(const PointCode& code, const Surroundings& around) {
  bool any = false;
  for (const Box& box : known_boxes(code, around)) {
    const Layout layout = around.layouts.of(box.array);
    for (std::size_t d = 0; d < box.sides.size(); ++d) {
      const std::int64_t steps = std::abs(steps_along(box.sides[d], code));
      if (steps > 0 && (steps > 1 || layout.strides[d] != 1)) return false;
      any = any || steps == 1;
    }
  }
  return any;
}

bool reads_windows(const PointCode& code, const Surroundings& around) {
  const std::vector<Box> boxes = known_boxes(code, around);
  return std::any_of(boxes.begin(), boxes.end(), is_window);
}

std::vector<ir::Version> staged_tiles(const PointCode& code, const std::vector<Guard>& when,
                                      const Surroundings& around) {
  if (code.space.empty()) return {};
  const std::vector<Box> boxes = boxes_read_often(code, around);
  const auto several = static_cast<int>(around.tunables().gpu_staged_points);
  const bool has_rows = code.space.size() > 1;
  const int points = has_rows ? warp_threads : block_threads;
  const int rows = has_rows ? block_threads / warp_threads : 1;
  std::vector<ir::Version> versions;
  // A tile has `each` points for a thread, or a part of the threads has one each.
  const auto add = [&](const std::vector<Box>& staged, int each, int part) {
    const int wide = has_rows ? points : points * each / part;
    const int tall = has_rows ? rows * each / part : 1;
    auto version = Choice(code, when, around).version(staged, tall, wide);
    if (!version) return;
    // Tiles are not mostly outside the space.
    version->when.push_back(ir::at_least(code.space.back().extent, points / 2));
    if (has_rows) {
      const Operand& extent = code.space[code.space.size() - 2].extent;
      version->when.push_back(ir::at_least(extent, rows / 2));
    }
    if (contradict(version->when)) return;
    if (each > 1) version->when.push_back(fill(code, each, 4));
    versions.push_back(std::move(*version));
  };
  // Lines of a point's own are not shared with more points.
  const bool has_lines =
      std::any_of(boxes.begin(), boxes.end(), [](const Box& box) { return box.crosses; });
  if (several > 1 && !has_lines) add(boxes, several, 1);
  add(boxes, 1, 1);
  // Longer lines than there is room for if all threads have some: to read them apart takes longer
  // than that most wait for a few.
  if (std::any_of(boxes.begin(), boxes.end(),
                  [&](const Box& box) { return has_long_lines(box, code); })) {
    add(boxes, 1, 4);
  }
  add(tables_beside(boxes, code), 1, 1);
  return versions;
}

}  // namespace dagaz::plan
