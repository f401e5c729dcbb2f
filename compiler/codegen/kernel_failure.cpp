// After a failure kernels still run until the host hears of it, on memory that means nothing.  One
// that reads and writes at places that do not depend on what is in memory comes to an end and stays
// inside its memory, whatever it computes, and so need not look.  A loop or an access that
// depends on loaded values, in its place or in whether it happens at all, needs what earlier
// kernels made sure of.
#include "codegen/kernel_failure.h"

#include <algorithm>
#include <unordered_set>

#include "tree/walk.h"
#include "support/match.h"

namespace dagaz::codegen {

namespace {

using tree::Code;
using tree::Instruction;
using tree::NameId;
using tree::Operand;

class Dependence {
 public:
  bool harms(const Code& code) {
    for (std::size_t known = 0;; known = loaded_.size()) {
      if (harms(code, false)) return true;
      if (loaded_.size() == known) return false;
    }
  }

 private:
  bool harms(const Code& code, bool doubtful) {
    return std::any_of(code.begin(), code.end(),
                       [&](const Instruction& one) { return harms(one, doubtful); });
  }

  /// `doubtful`: whether this is executed depends on what was loaded.
  bool harms(const Instruction& one, bool doubtful) {
    const tree::Node& node = one.node;
    if (as<tree::Call>(node) || as<tree::CopyElements>(node)) return true;
    if (const auto* loop = as<tree::For>(node)) {
      return is_loaded(loop->bound) || harms(loop->body, doubtful);
    }
    if (const auto* repeat = as<tree::While>(node)) {
      return harms(repeat->test, doubtful) || is_loaded(repeat->condition) ||
             harms(repeat->body, doubtful);
    }
    if (const auto* branch = as<tree::If>(node)) {
      const bool inside = doubtful || is_loaded(branch->condition);
      return harms(branch->then_code, inside) || harms(branch->else_code, inside);
    }
    if (is_access_in_doubt(node, doubtful)) return true;
    note_loaded(one, doubtful);
    return false;
  }

  bool is_access_in_doubt(const tree::Node& node, bool doubtful) const {
    const auto at = [&](const Operand& index) { return doubtful || is_loaded(index); };
    if (const auto* load = as<tree::Load>(node)) return at(load->index);
    if (const auto* store = as<tree::Store>(node)) return at(store->index);
    if (const auto* load = as<tree::LoadMatrices>(node)) return at(load->index);
    if (const auto* copy = as<tree::CopyAsync>(node)) {
      return at(copy->target_index) || at(copy->source_index);
    }
    if (const auto* atomic = as<tree::Atomic>(node)) return at(atomic->index);
    if (const auto* exchange = as<tree::CompareExchange>(node)) return at(exchange->index);
    if (const auto* share = as<tree::Share>(node)) return at(share->byte_offset);
    const bool meets = as<tree::Barrier>(node) || as<tree::Shuffle>(node) ||
                       as<tree::Match>(node) || as<tree::MultiplyMatrices>(node);
    return meets && doubtful;
  }

  /// What is computed from loaded values, or assigned depending on them, counts as loaded.
  void note_loaded(const Instruction& one, bool doubtful) {
    bool from_memory = doubtful || as<tree::Load>(one.node) || as<tree::LoadMatrices>(one.node) ||
                       as<tree::Atomic>(one.node) || as<tree::CompareExchange>(one.node);
    tree::InstructionVisitor visitor{
        [&](const Operand& operand) { from_memory |= is_loaded(operand); },
        [&](NameId target) {
          if (from_memory) loaded_.insert(target);
        },
        [](const Code&) {}};
    visit(one, visitor);
  }

  bool is_loaded(const Operand& operand) const {
    return operand.is_name() && loaded_.contains(operand.name());
  }

  std::unordered_set<NameId> loaded_;
};

}  // namespace

bool looks_for_failures(const tree::Code& kernel) { return Dependence().harms(kernel); }

// What it calls may do both.
bool may_fail(const tree::Code& kernel) {
  bool may = false;
  tree::for_each_instruction(kernel, [&](const Instruction& one) {
    may = may || as<tree::Fail>(one.node) || as<tree::Call>(one.node);
  });
  return may;
}

}  // namespace dagaz::codegen
