// Points of a space in lanes: a block of neighbouring points runs through one copy of the code,
// each scalar of the body a vector with a lane for every point (SPMD on SIMD; Pharr and Mark,
// "ispc: A SPMD compiler for high-performance CPU programming", InPar 2012).
//
// Here is what is known of one block while its body is emitted.  It is the first parameter of
// nearly every function of this room, and called `l` in all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// The shape of a block: `rows` points along one dimension of the space, each with `columns`
/// vectors of `width` points along another.
struct LaneBlock {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t width;
  std::int64_t span() const { return columns * width; }  // points of a row
  std::int64_t points() const { return rows * span(); }
};

/// An i64 that moves evenly over a block: base + row·row_step + point·point_step.
struct Affine {
  Operand base;
  Operand row_step = ir::i64_operand(0);
  Operand point_step = ir::i64_operand(0);
};

/// A scalar of every point of a block.
struct LaneScalar {
  ScalarType type = ScalarType::i64;
  bool by_row = false;    // differs between rows
  bool by_point = false;  // differs within a row: its pieces have lanes
  std::optional<Affine> affine;
  std::vector<Operand> pieces;  // where not affine: rows × columns, repeated where they agree
  bool is_uniform() const { return !by_row && !by_point; }
};

/// An array of every point: like `place`, but for where it starts.
struct LaneArray {
  Place place;  // its offset is unused
  LaneScalar offset;
};

/// An array of every point without memory: `start` everywhere, or counting from there.
struct LaneVirtual {
  LaneScalar start;
  std::optional<Operand> stride;
};

/// An array of every point that is open for accumulation: no other point adds to it.
struct LaneAccumulator {
  LaneArray array;
  std::vector<Operand> shape;  // the indexed dimensions: all
  const ir::Lambda* op;        // null: writes overwrite
};

/// What a body gives: one or the other; nothing for an accumulator.
struct LaneResult {
  std::optional<LaneScalar> scalar;
  std::optional<LaneArray> array;
};

/// Values that differ between points, and where results are wanted.
struct LaneValues {
  std::unordered_map<NameId, LaneScalar> scalars;
  std::unordered_map<NameId, LaneArray> arrays;
  std::unordered_map<NameId, LaneVirtual> virtual_arrays;
  std::unordered_map<NameId, LaneAccumulator> accumulators;
  std::unordered_map<NameId, LaneArray> destinations;
};

/// How many rows, and points of a row, of a block belong to other blocks, too.
struct Overlap {
  Operand rows;
  Operand points;
};

/// One block, as its schedule has it.
struct Lanes {
  Lanes(Context& context, const ir::LaneBlocks& schedule)
      : c(context), plan(schedule), block{plan.block_rows, plan.columns, plan.width} {}

  Context& c;
  const ir::LaneBlocks& plan;
  LaneBlock block;  // has more rows inside statements of plan.inner_rows
  std::optional<LaneScalar> mask;  // where some points run only (masks.h)
  LaneValues known;
  std::unordered_set<NameId> prepared;  // statements, by their first result
  std::unordered_map<NameId, LaneArray> before_packing;
  std::optional<Overlap> overlap;  // where results lie in the place of what points read
};

/// A bug: the schedule runs in lanes what cannot.
[[noreturn]] void refuse(std::string_view what);

}  // namespace dagaz::emit
