// The types of an instruction's members, each of which says the member's role (tree.h).
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::tree {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

class Instruction;
using Code = std::vector<Instruction>;

/// A variable that the instruction sets.
struct Assigned {
  NameId name;

  Assigned() = default;
  Assigned(NameId variable) : name(variable) {}
  operator NameId() const { return name; }
};
/// A variable that the instruction sets before each run of the code inside it.
struct Counter {
  NameId name;

  Counter() = default;
  Counter(NameId variable) : name(variable) {}
  operator NameId() const { return name; }
};

enum class Target { cpu, cuda, sim };

/// Which memory a block is in, as seen by a kernel.
enum class Space { global, shared, local };

}  // namespace dagaz::tree
