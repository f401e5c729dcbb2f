// A read waits until the device has done all that it was told to.  Read where it is made, each of
// several results costs such a wait, in which nothing more is started.  Instead a read moves down
// in its code until the host needs the value, or something touches the memory that is read, and
// takes the release of that memory with it.  So does what is computed from the value.
//
// A kernel that needs the value loads it, and computes what follows from it; what host code writes
// to the device from such values, also where they say whether it does, is written by a kernel of
// one thread.  (Futhark's compiler moves host code to the device to the same end: Christensen,
// "Reducing Synchronous GPU Memory Transfers", 2022.)
//
// Only memory that has one name for all its life is read later; totals of reductions have.  What
// ends the entry point or calls a function finds no read undone, for a kernel's failure that is
// older must be heard of first.
#include "emit/delayed_reads.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "emit/element_kernels.h"
#include "emit/pending_scalars.h"
#include "ir/scalar.h"
#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

namespace {

class Delay {
 public:
  Delay(Function& function, ir::Names& names, Kernels& kernels)
      : function_(function), names_(names), kernels_(kernels) {
    for (const NameId parameter : function.parameters) several_names_.insert(parameter);
    for (const Operand& result : function.results) note_shared(result);
    find_shared(function.body);
    for (const Operand& result : function.results) {
      if (result.is_name()) ++uses_[result.name()];
    }
    count_uses(function.body, uses_);
  }

  void run() {
    rewrite(function_.body);
    while (erase_unused()) {
    }
  }

 private:
  void note_shared(const Operand& operand) {
    if (operand.is_name()) several_names_.insert(operand.name());
  }

  void find_shared(const Code& code) {
    for (const Instruction& one : code) {
      const bool shares = as<Share>(one.node) || as<Move>(one.node) || as<Call>(one.node);
      tree::InstructionVisitor visitor{[&](const Operand& operand) {
                                         if (shares) note_shared(operand);
                                       },
                                       [&](NameId target) {
                                         if (shares) several_names_.insert(target);
                                         ++times_set_[target];
                                       },
                                       [&](const Code& inner) { find_shared(inner); }};
      tree::visit(one, visitor);
    }
  }

  static bool contains_exit(const Instruction& one) {
    bool found = as<Fail>(one.node) || as<Call>(one.node);
    // A kernel's failure is heard of by the next read.
    if (as<Launch>(one.node) != nullptr) return found;
    tree::for_each_code(one, [&](const Code& inner) {
      found = found || std::any_of(inner.begin(), inner.end(), contains_exit);
    });
    return found;
  }

  bool can_wait(const Instruction& one) const {
    if (const auto* read = as<ReadElement>(one.node)) {
      return !several_names_.contains(read->block) && times_set_.at(read->target) == 1;
    }
    if (const auto* assign = as<Assign>(one.node)) {
      const bool waits = std::any_of(assign->arguments.begin(), assign->arguments.end(),
                                     [&](const Operand& each) { return pending_->contains(each); });
      return waits && times_set_.at(assign->target) == 1 && !ir::may_trap(assign->op);
    }
    const auto* move = as<Move>(one.node);
    return move != nullptr && pending_->contains(move->value) && times_set_.at(move->target) == 1;
  }

  void rewrite(Code& code) {
    PendingScalars pending;
    PendingScalars* const outer = std::exchange(pending_, &pending);
    Code out;
    ElementKernels elements(out, names_, pending, uses_);
    for (Instruction& one : code) {
      if (pending.keep_release(one)) continue;
      Mentions mentions;
      if (!pending.empty()) mentions.add(one);
      if (elements.take(one, mentions)) continue;
      rewrite_nested(one);
      if (can_wait(one)) {
        delayed_.insert(pending.add(std::move(one)));
        continue;
      }
      if (!pending.empty()) {
        // A read beside others of the same block is no conflict.
        if (const auto* read = as<ReadElement>(one.node)) mentions.not_loaded.erase(read->block);
        if (contains_exit(one) || pending.would_change(mentions) ||
            (pending.contains_any(mentions.used) && !feed(one))) {
          pending.flush(out);
        }
      }
      out.push_back(std::move(one));
    }
    pending.flush(out);
    elements.finish(kernels_, function_.name);
    code = std::move(out);
    pending_ = outer;
  }

  void rewrite_nested(Instruction& one) {
    if (as<Launch>(one.node) != nullptr) return;
    tree::for_each_code(one, [&](Code& inner) { rewrite(inner); });
  }

  /// Lets the kernels of `one` load what waits, if nothing else there needs it.  A loop would load
  /// it each time.
  bool feed(Instruction& one) {
    if (!needed_in_kernels(one)) return false;
    feed_kernels(one);
    return true;
  }

  bool needed_in_kernels(const Instruction& one) const {
    bool by_host = false;
    tree::InstructionVisitor visitor;
    visitor.use = [&](const Operand& operand) { by_host = by_host || pending_->contains(operand); };
    visitor.set = [](NameId) {};
    visitor.nested = [&](const Code& inner) {
      if (as<Launch>(one.node) != nullptr) return;
      by_host = by_host || as<If>(one.node) == nullptr ||
                !std::all_of(inner.begin(), inner.end(),
                             [&](const Instruction& each) { return needed_in_kernels(each); });
    };
    tree::visit(one, visitor);
    return !by_host;
  }

  void feed_kernels(Instruction& one) {
    auto* launch = as<Launch>(one.node);
    if (launch == nullptr) {
      tree::for_each_code(one, [&](Code& inner) {
        for (Instruction& each : inner) feed_kernels(each);
      });
      return;
    }
    const std::vector<NameId> captured = tree::captured_variables(launch->body);
    Code loads = pending_->in_kernel(NameSet(captured.begin(), captured.end()));
    if (loads.empty()) return;
    launch->body.insert(launch->body.begin(), std::make_move_iterator(loads.begin()),
                        std::make_move_iterator(loads.end()));
    launch->kernel = kernels_.name_of(launch->body, launch->kernel, "fed");
  }

  // -------------------------------------------------------------- what only kernels needed

  /// Whether something that waited is needed nowhere in host code, and gone now.
  bool erase_unused() {
    NameSet used;
    for (const Operand& result : function_.results) {
      if (result.is_name()) used.insert(result.name());
    }
    find_used(function_.body, used);
    return erase_unused(function_.body, used);
  }

  static void find_used(const Code& code, NameSet& used) {
    const auto add = [&](const Operand& operand) {
      if (operand.is_name()) used.insert(operand.name());
    };
    for (const Instruction& one : code) {
      tree::InstructionVisitor visitor;
      visitor.use = add;
      visitor.set = [](NameId) {};
      visitor.nested = [&](const Code& inner) {
        if (as<Launch>(one.node) == nullptr) return find_used(inner, used);
        for (const NameId each : tree::captured_variables(inner)) used.insert(each);
      };
      tree::visit(one, visitor);
    }
  }

  bool erase_unused(Code& code, const NameSet& used) const {
    bool changed = false;
    for (Instruction& one : code) {
      if (as<Launch>(one.node) != nullptr) continue;
      tree::for_each_code(one, [&](Code& inner) { changed |= erase_unused(inner, used); });
    }
    const auto is_unused = [&](const Instruction& one) {
      const auto unused = [&](NameId target) {
        return delayed_.contains(target) && !used.contains(target);
      };
      if (const auto* read = as<ReadElement>(one.node)) return unused(read->target);
      if (const auto* assign = as<Assign>(one.node)) return unused(assign->target);
      const auto* move = as<Move>(one.node);
      return move != nullptr && unused(move->target);
    };
    return std::erase_if(code, is_unused) > 0 || changed;
  }

  Function& function_;
  ir::Names& names_;
  Kernels& kernels_;
  NameSet several_names_;  // blocks that may have other names, too
  std::unordered_map<NameId, int> times_set_;
  UseCounts uses_;
  NameSet delayed_;
  PendingScalars* pending_ = nullptr;  // of the code that is being rewritten
};

}  // namespace

void delay_reads(Program& program, Kernels& kernels) {
  for (Function& function : program.functions) {
    if (!function.device) Delay(function, program.names, kernels).run();
  }
}

}  // namespace dagaz::emit
