// Points of a map on a GPU that teams of threads share: chains of operations on rows in one kernel.
//
//   map (\r -> let m = maximum r  let e = map (\x -> exp (x - m)) r  let s = sum e
//              in map (/ s) e) rows
//
// Flattening offers two ways to run such a nest: a thread walks all rows of a point, for which few
// nests have enough points, and whose accesses do not coalesce; or each operation on rows is one
// over the whole nest, and what it hands to the next lies in arrays of the nest's size.  In
// between, the nest stays as it is, and the threads of a team, a warp or a block, share the
// elements of each operation inside a point.  Thread t of T has elements t, t + T, …, of every row,
// so what one operation writes and the next reads at its own element needs no barrier.  A row that
// is needed again stays in a buffer, which lies in the block's shared memory: each row of an array
// around is read once, each result written once.  Scalars between the operations are computed by
// all threads alike.  Warps of a block whose threads walk rows that all points read do so together
// (gpu_row_tiles.h); they may then read each other's elements as well, as threads of a block do.
//
// The third way needs no operation of its own: it is the strategy `teams` of the map that is the
// first way, with a guard that the buffers fit.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "support/function_ref.h"

namespace dagaz::plan {

class Surroundings;

/// Memory of a team for rows whose lives do not meet: an element for each of theirs.
struct RowBuffer {
  ir::Operand width;
  std::int64_t bytes;     // of an element
  bool shared;            // a row that threads read crosswise is the last in its buffer
  std::size_t free_from;  // the last statement that needs what is in it
};
/// A row that is needed again.
struct StagedRow {
  ir::NameId row;
  std::size_t buffer;
};
/// The body of a map as a chain of operations on rows.
struct RowChain {
  std::vector<StagedRow> staged;
  std::vector<RowBuffer> buffers;
  std::vector<ir::Operand> widths;  // of the operations, each once
  std::unordered_map<ir::NameId, ir::NameId> roots;  // of updated rows, what they were made as
  bool keeps_apart = true;          // of what the chain makes threads need own elements alone
  bool is_even = true;              // all points meet as often, whatever they find
};
/// What threads of a team do with rows around of which they need each other's elements.
enum class CrossedRows { read_around, copied };

/// None where the body is no such chain.  `stack_array` as in the settings; `is_element_only`:
/// arrays without memory.
std::optional<RowChain> row_chain(const ir::SegmentedMap& e, const ir::Names& names,
                                  std::int64_t stack_array, CrossedRows crossed,
                                  FunctionRef<bool(ir::NameId)> is_element_only);
/// Versions of the map by blocks of points and by teams, the smaller teams first; none where its
/// body is no chain of rows.
std::optional<ir::Schedule> gpu_rows(const ir::SegmentedMap& e, const Surroundings& around,
                                     ir::Names& names);

}  // namespace dagaz::plan
