// What the code of a GPU's thread may do that not every kernel allows.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

/// Whether an array of this type is small enough for the stack of its thread, which takes arrays of
/// constant size up to `most_bytes`.
bool fits_stack(const ir::Type& type, std::int64_t most_bytes);
/// Whether atomic instructions work on values of this type.
bool has_atomic_instructions(ir::ScalarType type);
/// Whether a thread that runs the body may end there, by an error.
bool may_fail(const ir::Body& body);
/// Whether it may need memory for arrays besides a few small ones, of up to `stack_array` bytes.  A
/// lambda's arguments are not its own.
bool takes_memory(const ir::Body& body, const ir::Names& names, std::int64_t stack_array);

}  // namespace dagaz::plan
