// How a parallel operation runs: a value that plan/ decides, and that emission follows.
//
// A schedule is a list of versions; the first whose guards hold runs, and the last one has no guard.
// Each version names a strategy and its parameters, and is right for every size that its guards let
// through, whatever its parameters are: plan/ adds the guards that they need, and refuses the others.
//
// Names in a schedule refer to what the operation's body binds, or to sizes around it.  They are
// renamed with the operation, but are no uses: a schedule keeps nothing alive.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/field_list.h"
#include "ir/type.h"

namespace dagaz::ir {

/// Holds where `size` is at least `least`.
struct Guard {
  Operand size;
  int least = 0;
  bool operator==(const Guard&) const = default;
  DZ_FIELDS(size, least)
};

/// Each point by itself: in tasks that walk rows of the space on a CPU, by a thread on a GPU.
struct Pointwise {
  static constexpr std::string_view mnemonic = "pointwise";
  bool operator==(const Pointwise&) const = default;
  DZ_FIELDS()
};

/// What becomes of the points that are left where a block does not divide an extent.
enum class Remainder : std::uint8_t {
  moved,      // the last block is moved back; points that two blocks share are computed twice
  serialised  // one by one
};

/// A statement inside the body whose iterations run `rows` at a time, as rows of the block.
struct InnerRows {
  NameId statement;  // its first result
  int rows = 1;
  bool operator==(const InnerRows&) const = default;
  DZ_FIELDS(statement, rows)
};

/// Blocks of neighbouring points in vector lanes: each scalar of the body is a vector with a lane for
/// every point (SPMD on SIMD; Pharr and Mark, "ispc", InPar 2012).  `columns` vectors of `width`
/// points along dimension `points` of the space, and `block_rows` of them along dimension `rows`,
/// which share in registers what does not differ between rows (Goto and van de Geijn, TOMS 2008).
struct LaneBlocks {
  static constexpr std::string_view mnemonic = "lane_blocks";
  int points = 0;
  int rows = -1;  // none
  int block_rows = 1;
  int columns = 1;
  int width = 1;
  int chunk = 64;  // blocks of rows that meet all points before the next, in one parallel iteration
  Remainder remainder = Remainder::moved;
  std::vector<NameId> packed;      // views: rows copied to where the points of a block are neighbours
  std::vector<NameId> laid_out;    // arrays copied so before the blocks start
  std::vector<NameId> serialised;  // statements, by first result, that each point runs by itself
  std::vector<InnerRows> inner_rows;
  bool operator==(const LaneBlocks&) const = default;
  DZ_FIELDS(points, rows, block_rows, columns, width, chunk, remainder, packed, laid_out, serialised,
            inner_rows)
};

/// How values of rows or of points are read for a panel, in which the values that one element of a sum
/// needs are neighbours.
enum class Packing : std::uint8_t {
  singly,       // one by one
  by_points,    // vectors of neighbouring rows or points
  by_elements   // vectors of neighbouring elements, which cross over in registers
};

/// Sums over elements of what combines values of a row with values of a point, like a product of
/// matrices.  Values are copied to panels of `block_rows` rows, and of `columns` vectors of `width`
/// points, for `depth` elements at a time; each pair of panels is a block of sums in registers (Goto
/// and van de Geijn, "Anatomy of high-performance matrix multiplication", TOMS 2008; Van Zee and van
/// de Geijn, "BLIS", TOMS 2015).
struct Contraction {
  static constexpr std::string_view mnemonic = "contraction";
  int rows = 0;           // dimensions of the space
  int points = 1;
  int block_rows = 1;
  int columns = 1;
  int width = 1;
  int depth = 256;        // elements of a panel
  int cached = 1;         // panels of rows that one cache holds
  int most_rows = 1;      // panels that a task has, at most and, where the space has as many, at least
  int most_points = 1;
  int least_rows = 1;
  int least_points = 1;
  int split = 0;          // elements from which on several tasks share a sum; 0: none do
  Packing row_packing = Packing::singly;
  Packing point_packing = Packing::singly;
  std::vector<NameId> of_rows;    // scalars that panels hold
  std::vector<NameId> of_points;
  bool operator==(const Contraction&) const = default;
  DZ_FIELDS(rows, points, block_rows, columns, width, depth, cached, most_rows, most_points,
            least_rows, least_points, split, row_packing, point_packing, of_rows, of_points)
};

/// Reductions whose segments, not elements, are neighbours in memory: `tile` accumulators at a time
/// take `steps` elements of each segment per pass.
struct Interchanged {
  static constexpr std::string_view mnemonic = "interchanged";
  int tile = 256;
  int steps = 4;
  bool operator==(const Interchanged&) const = default;
  DZ_FIELDS(tile, steps)
};

/// What points add to accumulators is computed for `elements` of them in a loop that vectorises, and
/// held for a loop that adds.
struct HeldBlocks {
  static constexpr std::string_view mnemonic = "held_blocks";
  int elements = 256;
  bool operator==(const HeldBlocks&) const = default;
  DZ_FIELDS(elements)
};

/// This map and the `maps` - 1 statements after it as one loop over their points (a sliding window);
/// inner points, where conditions are known, apart from those at the ends.
struct FusedStencil {
  static constexpr std::string_view mnemonic = "fused_stencil";
  int maps = 1;
  bool operator==(const FusedStencil&) const = default;
  DZ_FIELDS(maps)
};

/// Segments reduced by warps or blocks of a GPU, as their length says; by a thread each where they are
/// shorter than a warp, or many and `interleaved`: neighbours in memory belong to different ones.
struct Teams {
  static constexpr std::string_view mnemonic = "teams";
  bool interleaved = false;
  bool operator==(const Teams&) const = default;
  DZ_FIELDS(interleaved)
};

using Strategy =
    std::variant<Pointwise, LaneBlocks, Interchanged, HeldBlocks, FusedStencil, Teams, Contraction>;

struct Version {
  std::vector<Guard> when;
  Strategy strategy;
  bool operator==(const Version&) const = default;
  DZ_FIELDS(when, strategy)
};

/// Empty before plan/.
struct Schedule {
  std::vector<Version> versions;
  bool operator==(const Schedule&) const = default;
  DZ_FIELDS(versions)
};

/// Calls `function` for each name and size of the schedule.
void for_each_operand(const Schedule& schedule,
                      const std::function<void(const Operand&)>& function);
/// Replaces each by what `function` gives; names by names.
void replace_operands(Schedule& schedule, const std::function<Operand(const Operand&)>& function);

}  // namespace dagaz::ir
