// What tiles of points read of the arrays around, as boxes that a block of threads keeps in shared
// memory.
//
//   map (\i -> sum (map (\j -> w[j] * x[i + j]) (iota 9))) (iota n)
//
// A tile of 256 points reads 264 elements of x, 2304 times, and 9 of w as often.  An index that is
// a sum of multiples of the point's indices, of what loops inside count, and of values that all
// points share is within bounds that only the tile's place decides (as bounds are inferred in
// Halide, Ragan-Kelley et al. 2013).  Where all reads of an array have such indices the block
// copies what is within, neighbours by neighbouring threads, and every point reads the copy.
//
// Bounds may be wider than what is read: elements that the array does not have are not copied.
// Hence limits at the array's own edges, as `max 0 (i - 1)`, change no bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/program.h"
#include "support/function_ref.h"

namespace dagaz::plan {

class Surroundings;

/// A multiple of an index or of a value, or of what a loop counts, of which `value` is the end.
struct BoxTerm {
  ir::Operand value;
  std::int64_t factor = 1;
  bool operator==(const BoxTerm&) const = default;
};

/// Along one dimension of an array the elements from `least` to `most`, displaced by the indices of
/// a point, values around and what loops count.
struct BoxSide {
  std::vector<BoxTerm> points;
  std::vector<BoxTerm> around;
  std::vector<BoxTerm> loops;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct Box {
  ir::NameId array;
  std::vector<BoxSide> sides;
  int reads = 0;         // statements that read elements
  bool certain = false;  // one of them is under no condition
  /// Whether neighbouring points of a tile read what does not lie side by side: lines of the copy
  /// have an odd number of elements then, so that these are in different banks.
  bool crosses = false;
};

/// Points of a space, and what is done for each: for every index of `inner`, if that is there.
struct PointCode {
  std::vector<ir::SpaceDimension> space;
  std::vector<ir::SpaceDimension> inner;
  const ir::Body& body;
};

/// What is known of arrays around.
struct AroundPoints {
  /// The first of an array of consecutive numbers that has no memory.
  FunctionRef<std::optional<ir::Operand>(ir::NameId)> count;
  /// Whether the array lies in memory.
  FunctionRef<bool(ir::NameId)> is_memory;
  /// Whether the operation with `limit` changes no index of the array's dimension that it has.
  FunctionRef<bool(const BoxTerm& limit, ir::NameId array, std::size_t dimension)> is_edge;
};

/// The boxes of the arrays around that are read so, in the order of their names.
std::vector<Box> boxes_of(const PointCode& code, const AroundPoints& around,
                          const ir::Names& names);

/// Whether neighbouring points read neighbouring elements of an array around, and of no array what
/// lies apart, as far as that is known.
bool reads_lines(const PointCode& code, const Surroundings& around);

/// Whether points read elements of an array that a loop counts on from a place of their own.
bool reads_windows(const PointCode& code, const Surroundings& around);

/// Versions in tiles, larger ones first, where there are boxes that are read often enough, for
/// where the guards `when` hold.
std::vector<ir::Version> staged_tiles(const PointCode& code, const std::vector<ir::Guard>& when,
                                      const Surroundings& around);

}  // namespace dagaz::plan
