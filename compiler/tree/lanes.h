// Instructions on vector lanes.
//
// A variable whose type is a rank-1 array of constant size holds a value for each of as many
// lanes, in a vector register.  Assign and Move work on all lanes; operands that are plain
// scalars count for every lane.  CPU tasks only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tree/roles.h"

namespace dagaz::tree {

/// The type of block variables.
inline ir::Type block_type() { return {ScalarType::i8, {}, ir::TypeKind::block}; }

/// How many lanes a variable of this type has; 0 for plain scalars and blocks.
int lanes_of(const ir::Type& type);

/// target[l] := block[index + l·stride]; or block[index[l]] where `index` has lanes.  With a
/// `mask`, booleans, memory is read only for lanes where it holds; the others become `otherwise`,
/// or zero.  Lanes a constant number of elements apart may be `close`: they are taken out of whole
/// vectors.
struct LoadLanes {
  static constexpr std::string_view mnemonic = "load_lanes";
  static constexpr std::string_view labelled = "stride";
  Assigned target;
  NameId block;
  Operand index;
  Operand stride;
  ScalarType type;
  std::optional<Operand> mask = std::nullopt;
  std::optional<Operand> otherwise = std::nullopt;
  bool close = false;
  DZ_FIELDS(target, block, index, stride, type, mask, otherwise, close)
};
/// The other way round.  Of lanes that write to one place the last wins.  With a `mask`, lanes
/// where it does not hold write nothing.  Consecutive ones that fill lines of a cache, and begin
/// with one, may be `streamed`, past the caches.
struct StoreLanes {
  static constexpr std::string_view mnemonic = "store_lanes";
  static constexpr std::string_view labelled = "stride";
  NameId block;
  Operand index;
  Operand stride;
  Operand value;
  ScalarType type;
  std::optional<Operand> mask = std::nullopt;
  bool streamed = false;
  DZ_FIELDS(block, index, stride, value, type, mask, streamed)
};
/// target := 0, 1, 2, … as i64.
struct LaneNumbers {
  static constexpr std::string_view mnemonic = "lane_numbers";
  Assigned target;
  DZ_FIELDS(target)
};
/// target := op over the lanes of `value`, in any order.
struct CombineLanes {
  static constexpr std::string_view mnemonic = "combine_lanes";
  Assigned target;
  ScalarOp op;
  ScalarType type;
  Operand value;
  DZ_FIELDS(target, op, type, value)
};
/// Lane k of target := op over the lanes of values[k], in any order; as many values as lanes.
struct CombineEach {
  static constexpr std::string_view mnemonic = "combine_each";
  Assigned target;
  ScalarOp op;
  ScalarType type;
  std::vector<Operand> values;
  DZ_FIELDS(target, op, type, values)
};
/// targets[k] := lane k of each of `values`, as many as there are lanes.
struct TransposeLanes {
  static constexpr std::string_view mnemonic = "transpose_lanes";
  std::vector<Assigned> targets;
  std::vector<Operand> values;
  DZ_FIELDS(targets, values)
};
/// target := the lanes of `value` where `mask` holds, one after another from the first lane on; the
/// lanes behind them may be anything.
struct CompressLanes {
  static constexpr std::string_view mnemonic = "compress_lanes";
  static constexpr std::string_view labelled = "mask";
  Assigned target;
  Operand value;
  Operand mask;
  ScalarType type;
  DZ_FIELDS(target, value, mask, type)
};
/// target := the number of lanes of `mask` that hold, an i64.
struct CountLanes {
  static constexpr std::string_view mnemonic = "count_lanes";
  Assigned target;
  Operand mask;
  DZ_FIELDS(target, mask)
};
/// Lane l of target := lane l - `lanes` of `value`; `first` where there is no such lane.
struct ShiftLanes {
  static constexpr std::string_view mnemonic = "shift_lanes";
  static constexpr std::string_view labelled = "first";
  Assigned target;
  Operand value;
  int lanes;
  Operand first;
  ScalarType type;
  DZ_FIELDS(target, value, lanes, first, type)
};
/// target := the last lane of `value`.
struct LastLane {
  static constexpr std::string_view mnemonic = "last_lane";
  Assigned target;
  Operand value;
  ScalarType type;
  DZ_FIELDS(target, value, type)
};

}  // namespace dagaz::tree
