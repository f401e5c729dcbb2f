// The memory of a thread while its code is emitted: whether its scope has taken any, and in a
// kernel where that comes from (thread/private_memory.cpp, gpu/kernels.cpp, gpu/arena.cpp).
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "emit/code/values.h"

namespace dagaz::emit {

/// An array for every thread of a kernel.
struct Expansion {
  NameId block;
  ir::Type type;
};

/// The arena of a kernel, as its code knows it.
struct Arena {
  NameId block;
  NameId level_bytes;  // of each of its levels
  NameId used;         // where what this thread has taken of its part ends
  NameId limit;        // where the part ends
  bool is_used = false;
};

struct ThreadMemory {
  // Since the innermost private scope began:
  bool uses_scratch = false;
  bool uses_memory = false;  // that iterations of a loop around it share
  // In a kernel, or in a function that kernels call:
  bool in_function = false;
  Operand number;  // this thread's among …
  Operand count;   // … so many
  Arena arena;
  std::vector<Expansion> expansions;
  bool has_memory() const { return arena.is_used || !expansions.empty(); }
  std::unordered_set<std::string> functions;  // those that kernels hand their arena to
};

}  // namespace dagaz::emit
