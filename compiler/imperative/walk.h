// The parts of imperative instructions: which operands they read, which variables they set, which
// code they contain.  Printing and captured variables follow from it.
#pragma once

#include <functional>

#include "imperative/imperative.h"

namespace dagaz::imperative {

struct InstructionVisitor {
  std::function<void(const Operand&)> use;
  std::function<void(NameId)> set;
  std::function<void(const Code&)> nested;
};

/// Visits what `instruction` reads, then its nested code, then what it sets; loop indices and
/// piece bounds are set before the code inside.
void visit(const Instruction& instruction, const InstructionVisitor& visitor);

}  // namespace dagaz::imperative
