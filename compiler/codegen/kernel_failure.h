// Which kernels may fail, and which must look whether something has failed before them.
#pragma once

#include "tree/tree.h"

namespace dagaz::codegen {

/// Whether a kernel that runs after a failure, on memory that means nothing then, might do harm.
bool looks_for_failures(const tree::Code& kernel);

/// Whether it may fail itself, or trace something.
bool may_fail(const tree::Code& kernel);

}  // namespace dagaz::codegen
