#include "tree/walk.h"

#include <unordered_set>

#include "tree/fields.h"

namespace dagaz::tree {

namespace {

/// What is set is kept for later: it is set when all else is done.
struct VisitInOrder {
  const InstructionVisitor& visitor;
  std::vector<NameId> assigned = {};

  void use(const NameId& name) const { visitor.use(name); }
  void use(const Operand& operand) const { visitor.use(operand); }
  void set(const Assigned& one) { assigned.push_back(one.name); }
  void count(const Counter& one) const { visitor.set(one.name); }
  void code(const Code& code) const { visitor.nested(code); }
};

template <typename Function>
struct VisitCode {
  Function& function;

  void use(const NameId&) const {}
  void use(const Operand&) const {}
  void set(const Assigned&) const {}
  void count(const Counter&) const {}
  void code(Code& code) const { function(code); }
  void code(const Code& code) const { function(code); }
};

}  // namespace

void visit(const Instruction& instruction, const InstructionVisitor& visitor) {
  VisitInOrder walker{visitor};
  visit_fields(walker, instruction.node);
  for (const NameId name : walker.assigned) visitor.set(name);
}

void for_each_code(const Instruction& instruction,
                   const std::function<void(const Code&)>& function) {
  VisitCode<const std::function<void(const Code&)>> walker{function};
  visit_fields(walker, instruction.node);
}

void for_each_code(Instruction& instruction, const std::function<void(Code&)>& function) {
  VisitCode<const std::function<void(Code&)>> walker{function};
  visit_fields(walker, instruction.node);
}

void for_each_instruction(const Code& code,
                          const std::function<void(const Instruction&)>& function) {
  for (const Instruction& instruction : code) {
    function(instruction);
    for_each_code(instruction,
                  [&](const Code& inner) { for_each_instruction(inner, function); });
  }
}

std::vector<NameId> captured_variables(const Code& code) {
  std::vector<NameId> captured;
  std::unordered_set<NameId> seen;
  InstructionVisitor visitor;
  visitor.use = [&](const Operand& operand) {
    if (operand.is_name() && seen.insert(operand.name()).second) {
      captured.push_back(operand.name());
    }
  };
  visitor.set = [&](NameId name) { seen.insert(name); };
  visitor.nested = [&](const Code& inner) {
    for (const Instruction& instruction : inner) visit(instruction, visitor);
  };
  visitor.nested(code);
  return captured;
}

}  // namespace dagaz::tree
