// Arrays in a thread's own memory.  Private to this folder.
#pragma once

#include "memory/memory.h"

namespace dagaz::memory {

/// Finds the destinations of a body's arrays.
void find_destinations(const ir::Body& body, const ir::Names& names, Memory& memory);

/// How a loop in a thread carries its `k`-th value, an array: those of up to `carried_array`
/// elements are copied from iteration to iteration.
Carry carry_of(const ir::Loop& loop, std::size_t k, const ir::Names& names,
               std::int64_t carried_array);

}  // namespace dagaz::memory
