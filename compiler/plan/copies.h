// How arrays are copied: what the settings of a program mean for a copy, once it is known where
// both arrays lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "ir/ops.h"
#include "ir/settings.h"

namespace dagaz::plan {

/// What code copies: that of the host, whose loops are parallel, or that of one of its tasks, or
/// of a thread of a kernel.
enum class CopiedBy : std::uint8_t { host, task, kernel };

/// What is known of a copy, which has a dimension at least.
struct CopyAt {
  CopiedBy by;
  const ir::Type& type;
  bool are_dense;             // both arrays lie in row-major order, without gaps
  bool is_within;             // both may lie in the same memory
  std::vector<bool> written;  // for each dimension, whether what is written has neighbours along it
  std::vector<bool> read;     // likewise
};

/// As memory, at once.
struct CopyWhole {
  bool operator==(const CopyWhole&) const = default;
};

/// One element after the other, in loops of which that over dimension `innermost` is the innermost.
struct CopyElements {
  std::size_t innermost = 0;
  bool operator==(const CopyElements&) const = default;
};

/// Squares that a tile of a transposition has, and how many columns of squares ahead are fetched.
struct SquaresOfTile {
  std::int64_t rows = 1;  // along the dimension that is written
  std::int64_t columns = 1;
  std::int64_t ahead = 1;
  bool operator==(const SquaresOfTile&) const = default;
};

/// In squares that cross over between vectors in registers, where neighbours lie along another
/// dimension than in what is copied: `lanes` by `lanes` elements.  Where rows that go past the
/// caches are no whole lines, tiles have so many of them that rows of a tile are worth being staged
/// and copied past the caches at once.
struct CopySquares {
  std::size_t written = 0;  // the dimension of neighbours in what is written
  std::size_t read = 0;
  std::int64_t lanes = 1;
  SquaresOfTile tile = {};
  SquaresOfTile staged = {};
  std::int64_t sharing = 1;  // squares whose rows share a line; a divisor of `lanes`
  std::int64_t moved = 0;   // bytes that each element counts as where caches are too small for all
  // Elements along what is written that are copied together where what is read has fewer neighbours
  // than a square has.
  std::int64_t stretch = 1;
  CopyElements otherwise = {};  // where an extent is less than a square
  bool fill_lines() const { return sharing == 1; }
  bool operator==(const CopySquares&) const = default;
};

/// By blocks of a GPU's threads in squares that turn over in shared memory, where neighbours lie
/// along another dimension than in what is copied.
struct CopyTurned {
  std::size_t written = 0;  // the dimension of neighbours in what is written
  std::size_t read = 0;
  std::int64_t side = 32;   // divides the threads of a block, which are no more than its square
  std::int64_t least = 16;  // elements along both dimensions
  CopyElements otherwise = {};  // where there are fewer
  bool operator==(const CopyTurned&) const = default;
};

using CopyPlan = std::variant<CopyWhole, CopyElements, CopySquares, CopyTurned>;
CopyPlan plan_of_copy(const ir::Settings& settings, const CopyAt& at);

/// The elements of a literal that is written as a table, not one by one; none of others.
std::vector<ir::Constant> table_of(const ir::Settings& settings, const ir::ArrayLiteral& literal);

/// How many bytes ahead of those that are read in order others are fetched, where they are.
std::optional<std::int64_t> bytes_ahead(const ir::Settings& settings);
/// Whether what a strip reads in order of so many arrays is.
bool are_fetched(const ir::Settings& settings, std::size_t arrays);
/// How many places of a row have a strip in turn where points read so many arrays in order.
int places_in_turn(const ir::Settings& settings, std::size_t arrays);

/// How many points a thread of a kernel copies where they have so many dimensions.
int copied_by_a_thread(const ir::Settings& settings, std::size_t dimensions);

/// Whether elements can cross over between vectors in registers.
bool can_cross_over(ir::ScalarType element);
/// Whether rows of the type can be turned over in squares of `width` elements.
bool can_turn_over(const ir::Type& type, std::int64_t width);

}  // namespace dagaz::plan
