// What is known of values while a body runs in lanes: which of them differ between the points of a
// block, and how regularly.
#pragma once

#include <optional>
#include <vector>

#include "plan/layouts.h"

namespace dagaz::plan {

/// Whether the rows of each point follow it along its own dimension: a block has one at a time.
inline bool walks_stretches(const ir::LaneBlocks& blocks) { return blocks.rows == blocks.points; }
/// Whether lanes of the `reduction` are segments, not elements of one (plan/short_segments.h).
inline bool are_segments(const ir::LaneBlocks& blocks, const ir::SegmentedReduce& reduction) {
  return static_cast<std::size_t>(blocks.points) + 2 == reduction.space.size();
}

/// Whether a block of points may do it before anything else that it does, to find rows that are read
/// again: views, and in a block without rows also the numbers and checks that these need.
bool may_come_first(const ir::Operation& operation, bool has_rows);

/// Whether lanes so many elements apart, `most` at most, are close: whole vectors hold them, of
/// which a shuffle takes some.
inline bool are_close(std::int64_t step, std::int64_t most) { return step > 1 && step <= most; }

/// A scalar of every point of a block.  An affine one moves by `point_step` from point to point of
/// a row, and by `row_step` from row to row.
struct LaneValue {
  bool by_row = false;
  bool by_point = false;
  bool affine = false;
  Step base = std::nullopt;  // where it is the same for all points and a constant
  Step row_step = 0;
  Step point_step = 0;
  bool is_uniform() const { return !by_row && !by_point; }
  /// Whether elements at these places are neighbours along a row.
  bool is_consecutive() const { return affine && point_step == 1; }
  bool is_close(std::int64_t most) const {
    return affine && point_step && are_close(*point_step, most);
  }
};

/// An array of every point: like `layout`, but for where it starts.
struct LaneArrayValue {
  Layout layout;
  LaneValue start;
  bool is_written = false;  // by the points themselves
};

/// Whether each point has a stretch of memory of its own, where elements are neighbours.
inline bool are_stretches(const LaneArrayValue& array) {
  const LaneValue& start = array.start;
  return start.affine && start.by_point && start.point_step != 1 &&
         !array.layout.strides.empty() && array.layout.strides.back() == 1;
}

/// An array of every point without memory: `start` everywhere, or counting from there.
struct LaneSequence {
  ir::ScalarType element;
  LaneValue start;
  std::optional<ir::Operand> stride;
};

/// An array of every point that is open for accumulation: no other point adds to it.
struct LaneAccumulator {
  LaneArrayValue array;
  const ir::Lambda* op;  // null: writes overwrite
};

/// What a body gives: one or the other; nothing for an accumulator.
struct LaneResult {
  std::optional<LaneValue> scalar;
  std::optional<LaneArrayValue> array;
};

/// Sums, differences and uniform multiples of affine numbers are affine.
std::optional<LaneValue> apply_affine(ir::ScalarOp op, const std::vector<LaneValue>& arguments);

}  // namespace dagaz::plan
