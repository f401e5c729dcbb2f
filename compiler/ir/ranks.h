// Ranks: processes that run a program together, and the collective operations between them.
//
// A collective operation is a call of a function whose name says what it does, as with traces:
//
//   ranks'KIND (LEAVES)          ranks'reduce add ([]f64)          ranks'collect (f64, [][]i32)
//
// Its body is what a rank does that is alone, rank 0 of 1: so the interpreter and every target run
// the program as before.  Code generation calls the runtime instead (runtime/ranks).  Every rank
// makes the same calls in the same order, for host code is the same everywhere, and so are the
// scalars that it branches on; arrays are whole, and equal everywhere, or split: by rows of the
// outermost dimension, of which rank r of p has [n·r/p, n·(r+1)/p).
//
//   index ()                     -> i64              which rank this is
//   size ()                      -> i64              how many there are
//   first (n), count (n)         -> i64              the rows of this rank
//   agree ()                                         fails on all ranks if it has failed on one
//   gather (count, n, sizes, part: [count]sizes)     -> [n]sizes      all rows
//   leave (count, n, sizes, part: [count]sizes)      -> [n]sizes      the same for whoever asks for
//     them: results of entry points stay with the ranks that have them
//   whole (x…)                                       arguments that came by parts are gathered
//   turn (later, n, m, a, pn, b, pm, c, rn, rm, part: [a][pn][b][pm][c]t, …)
//     -> [a][rn][b][rm][c]t…   of n rows those of this rank and all of m columns, from all rows and
//     the columns of this rank; with `later` the other way round
//   windows (count, n, m, low, high, wraps, total, sizes, part: [count]sizes, …)
//     -> [total]sizes…   of n rows those from i + low to i + high, for the points i of m of a rank
//   start_windows (as `windows`), wait_windows (sizes, window: sizes, …) -> sizes…
//     the same in two steps: between them windows have the rows of this rank alone
//   add_rows (count, n, m, low, high, wraps, total, sizes, own: [count]sizes,
//             added: [total]sizes, …)
//     -> [count]sizes…   own rows, and what all have added to them in such windows
//   request (call, count, n, points, s…, asked: [s…]i64, sizes, part: [count]sizes, …)
//     -> [s…]sizes…   the rows that `asked` says, of n, of which each rank has some; zeros where
//     there is none.  Of the points of all ranks those of this one ask;
//     `call` numbers the calls of a function, for those that ask the same again
//   deliver (call, n, points, s…, places: [s…]i64, sizes, values: [s…]sizes, …)
//     -> total, [total]i64, [total]sizes…   what all have for rows of this rank, of n: the rows,
//     counted from its first, and the values, in order of ranks and of their points; what is for no
//     row is for nobody.  The other way round than `request`: `points` and `call` as there
//   collect (p, sizes, x…)       -> [p]sizes…        what each rank has, in order of ranks
//   reduce OP… (sizes, x…)       -> sizes…           combined element by element, each by its OP
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

enum class RankKind : std::uint8_t {
  index,
  size,
  first,
  count,
  agree,
  gather,
  leave,
  whole,
  turn,
  windows,
  start_windows,
  wait_windows,
  add_rows,
  request,
  deliver,
  collect,
  reduce
};

/// An element type and a rank; what `gather` and those of windows have is the rank of their
/// results; the first of `request` and `deliver` is that of the places, others of `deliver` are of
/// a value.
struct RankLeaf {
  ScalarType element;
  std::size_t rank;
  bool operator==(const RankLeaf&) const = default;
};

/// What a call says by its name.
struct RankCall {
  RankKind kind;
  std::vector<ScalarOp> ops = {};  // of `reduce`, one for each leaf
  std::vector<RankLeaf> leaves = {};
};

/// Whether the function is one of these.
bool is_rank_call(std::string_view function);
bool is_rank_call(const Operation& operation);
/// What the function does.  Whoever copies it adds to its name.
RankCall rank_call_of(std::string_view function);
std::string rank_function_name(const RankCall& call);
/// Whether `reduce` knows how to combine elements by `op`.
bool combines_by(ScalarOp op, ScalarType element);

/// The bytes that each rank hands over, as a formula; empty for calls that send nothing.
std::string rank_volume(const Call& call, const Names& names);

/// Rows of an array, at places that an array says: zeros where there is no such row.
SegmentedMap rows_at(NameId array, NameId places, Names& names);
/// The function with the body of a rank that is alone.
Function rank_function(const RankCall& call, Names& names);

}  // namespace dagaz::ir
