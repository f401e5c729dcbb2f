// The parts of instructions: which operands they read, which variables they set, which code they
// contain.
#pragma once

#include <functional>

#include "tree/tree.h"

namespace dagaz::tree {

struct InstructionVisitor {
  std::function<void(const Operand&)> use;
  std::function<void(NameId)> set;
  std::function<void(const Code&)> nested;
};

/// Visits what `instruction` reads, then its nested code, then what it sets; loop indices and
/// piece bounds are set before the code inside.
void visit(const Instruction& instruction, const InstructionVisitor& visitor);

/// Each code directly inside the instruction.
void for_each_code(const Instruction& instruction,
                   const std::function<void(const Code&)>& function);
void for_each_code(Instruction& instruction, const std::function<void(Code&)>& function);

/// Every instruction of `code` and of the code inside, each before what is inside it.
void for_each_instruction(const Code& code,
                          const std::function<void(const Instruction&)>& function);

/// Variables used in `code` but declared outside it, in order of first use.
std::vector<NameId> captured_variables(const Code& code);

}  // namespace dagaz::tree
