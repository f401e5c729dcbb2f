// A processor has as many reads under way as its window of some hundred instructions holds.  Where
// the indices are read, too, most of these reads miss the caches, and the fewer instructions an
// iteration has the more of them overlap.  LLVM would unroll such a loop, but for its check: one
// with an exit beside its end stays as it is, or gets a test of the end for each iteration.  A
// check that does not depend on what is read goes in front of the loop, which is then LLVM's to
// vectorise.
#include "codegen/checked_loops.h"

#include <unordered_set>

#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::codegen {

namespace {

/// One iteration of a loop.
class Iteration {
 public:
  /// Reads the next instruction; false if it is none of those that such loops have.
  bool add(const tree::Instruction& instruction) {
    if (const auto* branch = as<tree::If>(instruction.node)) return add(*branch);
    const auto* load = as<tree::Load>(instruction.node);
    const bool computes = as<tree::Assign>(instruction.node) || as<tree::Move>(instruction.node);
    if (load == nullptr && !computes) return as<tree::Store>(instruction.node) != nullptr;
    bool is_read = load != nullptr;
    tree::visit(instruction, {.use = [&](const Operand& used) { is_read |= was_read(used); },
                              .set =
                                  [&](NameId set) {
                                    if (is_read) read_.insert(set);
                                  },
                              .nested = [](const tree::Code&) {}});
    return true;
  }
  bool checks_what_is_read() const { return checks_; }

 private:
  bool add(const tree::If& branch) {
    const bool is_check = branch.then_code.empty() && branch.else_code.size() == 1 &&
                          as<tree::Fail>(branch.else_code[0].node) != nullptr;
    checks_ = checks_ || was_read(branch.condition);
    return is_check;
  }

  bool was_read(const Operand& operand) const {
    return operand.is_name() && read_.contains(operand.name());
  }

  std::unordered_set<NameId> read_;  // what is read, or computed from that
  bool checks_ = false;
};

}  // namespace

unsigned iterations_together(const tree::For& loop, const Tunables& tunables) {
  const bool is_short = loop.body.size() <= static_cast<std::size_t>(tunables.checked_loop);
  if (!loop.hints.independent || !is_short) return 1;
  Iteration iteration;
  for (const tree::Instruction& instruction : loop.body) {
    if (!iteration.add(instruction)) return 1;
  }
  return iteration.checks_what_is_read() ? static_cast<unsigned>(tunables.checked_together) : 1;
}

}  // namespace dagaz::codegen
