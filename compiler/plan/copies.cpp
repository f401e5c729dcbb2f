#include "plan/copies.h"

#include <algorithm>
#include <utility>

#include "ir/kernel_threads.h"

namespace dagaz::plan {

namespace {

// Of squares that a block of threads turns over: a point for each of them, and what fits a block.
constexpr std::int64_t least_side = 16;
constexpr std::int64_t most_side = 64;
static_assert(least_side * least_side == ir::block_threads);

/// Whether an array of `count` elements is copied or written one after another.
bool is_short(const ir::Settings& settings, std::int64_t count) {
  return count <= settings.short_array;
}

bool is_short(const ir::Settings& settings, const std::vector<ir::Operand>& shape) {
  std::int64_t count = 1;
  for (const ir::Operand& size : shape) {
    if (!size.is_constant() || !is_short(settings, ir::integer_value(size.constant())))
      return false;
    count *= ir::integer_value(size.constant());
    if (!is_short(settings, count)) return false;
  }
  return true;
}

/// The dimension along which both arrays, or else one of them, have neighbours; the last one where
/// that is as good as any.
CopyElements by_elements(const CopyAt& at) {
  const auto neighbours = [&](std::size_t k) {
    return static_cast<int>(at.written[k]) + static_cast<int>(at.read[k]);
  };
  std::size_t best = at.written.size() - 1;
  for (std::size_t k = best; k-- > 0;) {
    if (neighbours(k) > neighbours(best)) best = k;
  }
  return {best};
}

std::optional<std::size_t> last_of(const std::vector<bool>& neighbours) {
  for (std::size_t k = neighbours.size(); k-- > 0;) {
    if (neighbours[k]) return k;
  }
  return std::nullopt;
}

/// Dimensions of neighbours in what is written and in what is read, which differ.
struct Crossed {
  std::size_t written;
  std::size_t read;
};

/// Nothing where code of the host does not copy, in parallel, or there are no such dimensions.
std::optional<Crossed> crossed(const CopyAt& at) {
  if (at.by != CopiedBy::host || at.is_within) return std::nullopt;
  const auto written = last_of(at.written);
  const auto read = last_of(at.read);
  if (!written || !read || *written == *read) return std::nullopt;
  return Crossed{*written, *read};
}

std::optional<CopyTurned> turned(const ir::Settings& settings, const CopyAt& at) {
  if (settings.points != ir::PointsBy::kernels) return std::nullopt;
  const auto dimensions = crossed(at);
  if (!dimensions) return std::nullopt;
  for (std::int64_t side = most_side; side >= least_side; side /= 2) {
    if (side * side * ir::byte_size(at.type.element) > settings.tile) continue;
    return CopyTurned{dimensions->written, dimensions->read, side, side / 2, by_elements(at)};
  }
  return std::nullopt;
}

// Of a square in registers.
constexpr std::int64_t most_lanes = 16;
// Columns of squares in a tile: enough that its place costs little.
constexpr std::int64_t columns_of_tile = 16;
// How many lines ahead of a square are fetched, and of squares that are staged, whose columns take
// longer.
constexpr std::int64_t lines_ahead = 4;
constexpr std::int64_t staged_lines_ahead = 2;

// Of an element that is read and written.
std::int64_t bytes_moved(const ir::Settings& settings, ir::ScalarType element) {
  return 2 * ir::byte_size(element) * (100 + settings.crowding) / 100;
}

std::optional<CopySquares> in_squares(const ir::Settings& settings, const CopyAt& at) {
  const ir::ScalarType element = at.type.element;
  if (settings.points != ir::PointsBy::tasks) return std::nullopt;
  const auto dimensions = crossed(at);
  if (!dimensions) return std::nullopt;
  const std::int64_t in_line = settings.line / ir::byte_size(element);
  const std::int64_t lanes = std::min(in_line, most_lanes);
  const std::int64_t sharing = in_line / lanes;
  const auto squares_along = [&](std::int64_t rows) { return rows * most_lanes / lanes; };
  // The first cache keeps lines until all squares that share them are read: of fewer rows.
  const std::int64_t staged_rows =
      sharing == 1 ? settings.staged_rows : (settings.staged_rows + 1) / 2;
  return CopySquares{
      .written = dimensions->written,
      .read = dimensions->read,
      .lanes = lanes,
      .tile = {squares_along(settings.tile_rows), columns_of_tile, lines_ahead * sharing},
      .staged = {squares_along(staged_rows), columns_of_tile, staged_lines_ahead * sharing},
      .sharing = sharing,
      .moved = bytes_moved(settings, element),
      .stretch = lanes * lanes,
      .otherwise = by_elements(at)};
}

}  // namespace

CopyPlan plan_of_copy(const ir::Settings& settings, const CopyAt& at) {
  const bool is_few = at.by == CopiedBy::task && is_short(settings, at.type.shape);
  if (at.are_dense && at.by != CopiedBy::kernel && !is_few) return CopyWhole{};
  if (const auto squares = in_squares(settings, at)) return *squares;
  if (const auto squares = turned(settings, at)) return *squares;
  return by_elements(at);
}

std::vector<ir::Constant> table_of(const ir::Settings& settings, const ir::ArrayLiteral& literal) {
  if (is_short(settings, std::ssize(literal.elements))) return {};
  std::vector<ir::Constant> constants;
  for (const ir::Operand& element : literal.elements) {
    if (!element.is_constant()) return {};
    constants.push_back(element.constant());
  }
  return constants;
}

std::optional<std::int64_t> bytes_ahead(const ir::Settings& settings) {
  return settings.fetched_ahead > 0 ? std::optional(settings.fetched_ahead) : std::nullopt;
}

bool are_fetched(const ir::Settings& settings, std::size_t arrays) {
  return std::cmp_less_equal(arrays, settings.streams);
}

int places_in_turn(const ir::Settings& settings, std::size_t arrays) {
  return arrays == 0 ? 1 : std::max(settings.streams / static_cast<int>(arrays), 1);
}

int copied_by_a_thread(const ir::Settings& settings, std::size_t dimensions) {
  return dimensions == 0 ? 1 : settings.points_a_thread;
}

bool can_cross_over(ir::ScalarType element) { return ir::byte_size(element) >= 4; }

bool can_turn_over(const ir::Type& type, std::int64_t width) {
  const ir::Operand& length = type.shape.back();
  return length.is_constant() && ir::integer_value(length.constant()) >= width &&
         can_cross_over(type.element);
}

}  // namespace dagaz::plan
