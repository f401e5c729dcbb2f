// A read waits until the device has done all that it was told to.  Read where it is made, each of
// several results costs such a wait, in which nothing more is started.  Instead a read moves down
// in its code until something needs the value, or touches the memory that is read, and takes the
// release of that memory with it.
//
// Only memory that has one name for all its life is read later; totals of reductions have.  What
// ends the entry point or calls a function finds no read undone, for a kernel's failure that is
// older must be heard of first.
#include "emit/delayed_reads.h"

#include <algorithm>
#include <unordered_set>

#include "tree/walk.h"
#include "support/match.h"

namespace dagaz::emit {

namespace {

using Set = std::unordered_set<NameId>;

class Delay {
 public:
  explicit Delay(Function& function) : function_(function) {
    for (const NameId parameter : function.parameters) several_names_.insert(parameter);
    for (const Operand& result : function.results) note_shared(result);
    find_shared(function.body);
  }

  void run() { rewrite(function_.body); }

 private:
  /// A read, and the releases of its block that have to wait for it.
  struct Pending {
    Instruction read;
    std::vector<Instruction> releases;
    const ReadElement& node() const { return *as<ReadElement>(read.node); }
  };

  void note_shared(const Operand& operand) {
    if (operand.is_name()) several_names_.insert(operand.name());
  }

  void find_shared(const Code& code) {
    for (const Instruction& one : code) {
      const bool shares = as<Share>(one.node) || as<Move>(one.node) || as<Call>(one.node);
      tree::InstructionVisitor visitor{
          [&](const Operand& operand) { if (shares) note_shared(operand); },
          [&](NameId target) { if (shares) several_names_.insert(target); },
          [&](const Code& inner) { find_shared(inner); }};
      tree::visit(one, visitor);
    }
  }

  static bool contains_exit(const Instruction& one) {
    bool found = as<Fail>(one.node) || as<Call>(one.node);
    tree::InstructionVisitor visitor{[](const Operand&) {}, [](NameId) {}, [&](const Code& inner) {
                                 found = found || std::any_of(inner.begin(), inner.end(),
                                                              contains_exit);
                               }};
    // A kernel's failure is heard of by the next read.
    if (as<Launch>(one.node) == nullptr) tree::visit(one, visitor);
    return found;
  }

  /// Everything that `one` and the code inside it mention.
  static void mentioned(const Instruction& one, Set& names) {
    tree::InstructionVisitor visitor{
        [&](const Operand& operand) { if (operand.is_name()) names.insert(operand.name()); },
        [&](NameId target) { names.insert(target); },
        [&](const Code& inner) {
          for (const Instruction& instruction : inner) mentioned(instruction, names);
        }};
    tree::visit(one, visitor);
  }

  bool can_wait(const Instruction& one) const {
    const auto* read = as<ReadElement>(one.node);
    return read != nullptr && !several_names_.contains(read->block);
  }

  /// Whether a pending read must come before `one`.
  static bool conflicts(const std::vector<Pending>& pending, const Set& names) {
    return std::any_of(pending.begin(), pending.end(), [&](const Pending& waiting) {
      const ReadElement& read = waiting.node();
      return names.contains(read.target) || names.contains(read.block) ||
             (read.index.is_name() && names.contains(read.index.name()));
    });
  }

  static void flush(std::vector<Pending>& pending, Code& out) {
    for (Pending& waiting : pending) out.push_back(std::move(waiting.read));
    for (Pending& waiting : pending) {
      for (Instruction& release : waiting.releases) out.push_back(std::move(release));
    }
    pending.clear();
  }

  static bool delay_release(std::vector<Pending>& pending, Instruction& one) {
    const auto* release = as<Release>(one.node);
    if (release == nullptr) return false;
    const auto of_block = std::find_if(pending.rbegin(), pending.rend(), [&](const Pending& p) {
      return p.node().block == release->block;
    });
    if (of_block == pending.rend()) return false;
    of_block->releases.push_back(std::move(one));
    return true;
  }

  void rewrite(Code& code) {
    std::vector<Pending> pending;
    Code out;
    for (Instruction& one : code) {
      rewrite_nested(one);
      if (delay_release(pending, one)) continue;
      if (!pending.empty()) {
        Set names;
        mentioned(one, names);
        // A read beside others of the same block is no conflict.
        if (const auto* read = as<ReadElement>(one.node)) names.erase(read->block);
        if (contains_exit(one) || conflicts(pending, names)) flush(pending, out);
      }
      if (can_wait(one)) {
        pending.push_back({std::move(one), {}});
      } else {
        out.push_back(std::move(one));
      }
    }
    flush(pending, out);
    code = std::move(out);
  }

  void rewrite_nested(Instruction& one) {
    if (auto* loop = as<For>(one.node)) {
      rewrite(loop->body);
    } else if (auto* repeat = as<While>(one.node)) {
      rewrite(repeat->test);
      rewrite(repeat->body);
    } else if (auto* branch = as<If>(one.node)) {
      rewrite(branch->then_code);
      rewrite(branch->else_code);
    } else if (auto* scope = as<ScratchScope>(one.node)) {
      rewrite(scope->body);
    }
  }

  Function& function_;
  Set several_names_;  // blocks that may have other names, too
};

}  // namespace

void delay_reads(Program& program) {
  for (Function& function : program.functions) {
    if (!function.device) Delay(function).run();
  }
}

}  // namespace dagaz::emit
