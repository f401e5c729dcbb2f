// The text form of the tree, out: `dagaz inspect --stage=imperative`.  parse(print(p)) is p again.
#pragma once

#include <string>

#include "tree/tree.h"

namespace dagaz::tree {

std::string print(const Program& program);
std::string print(const Instruction& instruction, const ir::Names& names);

}  // namespace dagaz::tree
