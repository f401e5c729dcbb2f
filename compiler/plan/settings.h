// What is decided once for all code of a program: what is worth a task, a team or a piece, and how
// memory of which no operation's schedule speaks is copied, combined and shared out.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace dagaz::plan {

struct Settings {
  std::int64_t short_array = 16;         // elements up to which arrays are copied one by one
  std::int64_t collected_bytes = 32768;  // of results of a block of lanes, turned over together
  std::int64_t combined_operations = 4;  // what combining an element of partial results takes
  // Partial results that a thread of a GPU combines before the last step, so many rounds as long as
  // there are more: a tree, where one thread at the end would be slow.
  std::int64_t combined_at_once = 32;
  int combining_rounds = 0;
  std::int64_t piece_elements = 16;    // at least, of a segment's piece that a thread of a GPU takes
  std::int64_t segment_blocks = 1024;  // at most, that share a segment on a GPU
  std::int64_t thread_elements = 8;    // at least, of a thread of blocks that share a segment
  // Memory for the threads of a kernel: how many times fewer, and larger, parts an arena has on each
  // level, and how many times what it takes arrays of known sizes may take.
  std::int64_t arena_ratio = 64;
  std::int64_t arena_expansions = 4;
};

Settings settings_for(Device device, const Tunables& tunables);

}  // namespace dagaz::plan
