// Which variables may differ between the threads of a block, as the least set closed under
// assignment and under control flow that depends on it; and whether a barrier is under such
// control flow.  What all threads read at one place of global or shared memory is the same for all.
#include <unordered_set>

#include "support/match.h"
#include "tree/verify_rules.h"
#include "tree/walk.h"

namespace dagaz::tree {

namespace {

class Uniformity {
 public:
  explicit Uniformity(std::vector<Violation>& violations) : violations_(violations) {}

  void check(const Code& kernel) {
    do {
      grew_ = false;
      walk(kernel, false);
    } while (grew_);
    reports_ = true;
    walk(kernel, false);
  }

 private:
  bool differs(const Operand& operand) const {
    return operand.is_name() && differing_.contains(operand.name());
  }
  void mark(NameId name) {
    if (differing_.insert(name).second) grew_ = true;
  }

  /// Whether the instruction gives threads different values although its operands are the same.
  static bool tells_threads_apart(const Node& node) {
    if (const auto* special = as<ReadSpecial>(node)) {
      return special->which == Special::thread_index;
    }
    if (const auto* load = as<Load>(node)) return load->space == Space::local;
    return as<Shuffle>(node) || as<Match>(node) || as<LoadMatrices>(node) ||
           as<MultiplyMatrices>(node) || as<Atomic>(node) || as<CompareExchange>(node) ||
           as<Call>(node) || as<AllocateLocal>(node);
  }
  static bool is_control(const Node& node) {
    return as<For>(node) || as<While>(node) || as<If>(node);
  }

  void walk(const Code& code, bool divergent) {
    for (const Instruction& instruction : code) {
      if (reports_ && divergent && as<Barrier>(instruction.node)) {
        violations_.push_back({"threads of a block may not all meet here", &instruction});
      }
      bool operands_differ = false;
      std::vector<NameId> set;
      InstructionVisitor visitor;
      visitor.use = [&](const Operand& used) { operands_differ |= differs(used); };
      visitor.set = [&](NameId name) { set.push_back(name); };
      visitor.nested = [](const Code&) {};
      visit(instruction, visitor);
      const bool inside = divergent || (is_control(instruction.node) && operands_differ);
      for_each_code(instruction, [&](const Code& inner) { walk(inner, inside); });
      if (inside || operands_differ || tells_threads_apart(instruction.node)) {
        for (const NameId name : set) mark(name);
      }
    }
  }

  std::vector<Violation>& violations_;
  std::unordered_set<NameId> differing_;
  bool grew_ = false;
  bool reports_ = false;
};

}  // namespace

void verify_barriers(const Code& kernel, std::vector<Violation>& violations) {
  Uniformity(violations).check(kernel);
}

}  // namespace dagaz::tree
