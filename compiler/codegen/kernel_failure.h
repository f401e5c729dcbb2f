// Which kernels must look whether something has failed before them.
#pragma once

#include "imperative/imperative.h"

namespace dagaz::codegen {

/// Whether a kernel that runs after a failure, on memory that means nothing then, might do harm.
bool looks_for_failures(const imperative::Code& kernel);

}  // namespace dagaz::codegen
