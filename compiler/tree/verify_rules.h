// What the parts of the verifier hand to each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tree/verify.h"

namespace dagaz::tree {

using Report = std::function<void(std::string)>;

/// Invariants 1, 4 and what of 9 is about types, of one instruction.
void verify_types(const Instruction& instruction, const Program& program, const Report& report);

/// Invariant 7, of a kernel.
void verify_barriers(const Code& kernel, std::vector<Violation>& violations);

}  // namespace dagaz::tree
