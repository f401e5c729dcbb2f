// What is decided once for all code of a program, where no operation's schedule speaks: a value
// that plan/ decides, and that emission follows.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/field_list.h"

namespace dagaz::ir {

/// What computes the points of a space in parallel.
enum class PointsBy : std::uint8_t {
  tasks,   // of a CPU
  kernels  // of a GPU
};

/// Where arrays lie.
enum class ArraysIn : std::uint8_t {
  memory,  // of the processor that calls
  device   // code of the host reaches single elements by transfers
};

struct Settings {
  static constexpr std::string_view mnemonic = "settings";
  PointsBy points = PointsBy::tasks;
  ArraysIn arrays = ArraysIn::memory;
  int task = 32768;         // operations that are worth a task of their own
  int combined = 4;         // operations of combining an element of partial results
  int copied = 2;           // operations of copying an element
  int points_a_thread = 1;  // of a kernel that only copies
  int short_array = 16;     // elements up to which arrays are copied one by one
  int stack_array = 2048;   // most bytes of an array on the stack of its thread
  int carried_array = 64;   // most elements of an array that a thread's loop copies each time
  int streamed_bytes = 5 << 23;  // bytes read and written from which on results go past the caches
  int fetched_ahead = 8192;  // how far ahead of those that is fetched what they read in order; 0: not
  // Elements that the host's operations make lie with their rows innermost in every so manieth
  // array;
  // 0: in those that are read so.
  int turned = 0;
  // Bytes of a cache's line and of a row of a square in which what is transposed crosses over in
  // registers; of a square that a block of a GPU's threads turns over; and squares of 16 rows that a
  // tile has along what is written, also where that goes past the caches, but not by whole lines.
  int line = 64;
  int tile = 32768;
  int tile_rows = 2;
  int staged_rows = 8;
  // By how many percent more bytes than it reads and writes a transposition counts: its columns
  // crowd in some parts of caches.
  int crowding = 25;
  // Streams of memory that strips read in turn, and fetch ahead, at most.
  int streams = 4;
  // Operations that take as long as one look at whether another task has told of its link.
  int look = 64;
  // Elements that vector lanes lie apart, at most, where they are taken out of whole vectors.
  int close_lanes = 4;
  bool rolled_nests = true;  // loops around loops that run as often as is not known stay rolled
  // Memory for the threads of a kernel: how many times fewer, and larger, parts an arena has on
  // each level, and how many times what it takes arrays of known sizes may take.
  int arena_ratio = 64;
  int arena_expansions = 4;
  bool operator==(const Settings&) const = default;
  DZ_FIELDS(points, arrays, task, combined, copied, points_a_thread, short_array, stack_array,
            carried_array, streamed_bytes, fetched_ahead, turned, line, tile, tile_rows,
            staged_rows, crowding, streams, look, close_lanes, rolled_nests, arena_ratio,
            arena_expansions)
};

}  // namespace dagaz::ir
