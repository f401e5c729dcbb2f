// What the strategies for GPUs share: sizes, and the parts that blocks, warps and threads have in a
// reduction or scan.  Private to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "imperative/lowering_types.h"

namespace dagaz::imperative {

constexpr int kernel_threads = 256;
constexpr std::int64_t arena_bytes = std::int64_t{512} << 20;
constexpr std::int64_t warp_slot_bytes = 128;  // 9 values of up to 8 bytes

/// One for each bin that needs combining under a lock.
struct Locks {
  NameId block;   // i32 each
  Operand count;
};

/// An array for every thread of a kernel.
struct Expansion {
  NameId block;
  ir::Type type;
};

/// Where a thread is in its block.
struct Lane {
  Operand thread;
  Operand lane;
  Operand warp;
};

/// Threads that reduce together: a warp or a block.
struct Team {
  Operand threads;
  Operand shift;  // the logarithm of `threads`
};

/// What a team works on, seen by one of its threads.
struct TeamPart {
  Operand rank;     // of the thread in its team
  Operand segment;
  Operand piece;
  Operand start;
  Operand length;   // 0 where there is nothing to do
  Operand leads;    // whether the thread writes for its team, which has something to do
};

/// The inside of a reduction's kernel.
struct TeamReduction {
  const std::vector<ir::ReduceOperator>& operators;
  const std::vector<ir::Type>& types;
  const Pieces& pieces;
  const Team& team;
  std::vector<Operand> neutral;
  std::vector<Place> partial;  // [segment][piece]
  NameId arrived;              // i32 [segment]: teams that have written their part
  std::vector<Place> totals;
  bool strides;
};

/// The part of a segment that a block works on.
struct BlockPart {
  Operand piece;
  std::vector<Operand> outer;
  Operand start;
  Operand length;
};

/// A scan in one kernel, seen by its host.
struct OnePass {
  const ir::Statement& s;
  const ir::SegmentedScan& e;
  const std::vector<ir::Type>& types;
  std::vector<ir::Type> kept;      // of the body's results that are not scanned
  const std::vector<Wish>& targets;
  std::vector<Operand> outer;
  Operand width;
  std::int64_t stretch;            // elements per thread
  Operand count;                   // tiles of a segment
  Operand tiles;
  std::vector<Place> totals;       // per tile: of it alone
  std::vector<Place> prefixes;     // and up to its end
  NameId states;                   // i32 per tile, and how many tiles have been taken
};

/// Shared memory handed out so far.
struct SharedLayout {
  std::int64_t bytes = 0;
  Operand take(std::int64_t size);
};

}  // namespace dagaz::imperative
