// A point's private arrays are scratch memory that it takes and gives back: three calls of the
// runtime for each point, which is more than what a short row costs.
//
//   for i { scratch_scope { x = allocate_scratch s; … } }
//
// becomes, where s is the same for all iterations,
//
//   scratch_scope { x = allocate_scratch (0 < bound ? s : 0); for i { … } }
//
// Iterations then write the same memory, one after the other: they are no longer independent.  What
// follows a refusal that all iterations make alike stays: its size may be that of an array of a
// length below zero, of which the refusal tells.  What a branch takes is left where it is, so that
// no more is taken than before; so is what is carried to the next iteration, which lies outside of
// the scope.  Inner loops come first: what they take may leave the loops around them, too.
#include "emit/shared_scratch.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "ir/scalar.h"
#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::emit {

namespace {

/// One loop, whose scopes stand directly in it.
class LoopScratch {
 public:
  LoopScratch(For& loop, ir::Names& names) : loop_(loop), names_(names) {
    count(loop.index);
    tree::for_each_instruction(loop.body, [&](const Instruction& one) {
      tree::visit(one,
                  {[](const Operand&) {}, [&](NameId set) { count(set); }, [](const Code&) {}});
    });
  }

  /// What now stands before the loop; it belongs into a scope with it.
  Code take() {
    for (Instruction& one : loop_.body) {
      if (auto* scope = as<ScratchScope>(one.node)) {
        take(scope->body);
      } else {
        note(one);
      }
    }
    if (before_.empty()) return {};
    loop_.hints.independent = false;
    loop_.hints.vectorise = false;
    Code body;
    for (Instruction& one : loop_.body) {
      auto* scope = as<ScratchScope>(one.node);
      if (scope == nullptr || takes_memory(scope->body)) {
        body.push_back(std::move(one));
      } else {
        std::move(scope->body.begin(), scope->body.end(), std::back_inserter(body));
      }
    }
    loop_.body = std::move(body);
    return std::move(before_);
  }

 private:
  void count(NameId set) { ++times_set_[set]; }
  bool is_set_once(NameId name) const { return times_set_.at(name) == 1; }
  bool is_known_before(const Operand& operand) const {
    return !operand.is_name() || !times_set_.contains(operand.name());
  }

  /// Of the code of a scope, in order: computations of sizes are copied, for others may use them.
  void take(Code& code) {
    Code left;
    for (Instruction& one : code) {
      if (auto* scratch = as<AllocateScratch>(one.node);
          scratch != nullptr && !refused_ && is_set_once(scratch->block) &&
          compute(scratch->bytes)) {
        scratch->bytes = bytes_if_any(renamed(scratch->bytes));
        before_.push_back(std::move(one));
        continue;
      }
      note(one);
      left.push_back(std::move(one));
    }
    code = std::move(left);
  }

  /// What is set once, from what is known in the same iteration: a sum that goes on is set once,
  /// too.
  void note(const Instruction& one) {
    const auto* assign = as<Assign>(one.node);
    const auto* move = as<Move>(one.node);
    if (const auto* branch = as<If>(one.node)) {
      refused_ = refused_ || (is_known(branch->condition) &&
                              (fails(branch->then_code) || fails(branch->else_code)));
    } else if (assign != nullptr && is_set_once(assign->target) && !ir::may_trap(assign->op)) {
      const bool known = std::all_of(assign->arguments.begin(), assign->arguments.end(),
                                     [&](const Operand& each) { return is_known(each); });
      if (known) computed_.insert_or_assign(assign->target, one);
    } else if (move != nullptr && is_set_once(move->target) && is_known(move->value)) {
      computed_.insert_or_assign(move->target, one);
    }
  }
  bool is_known(const Operand& operand) const {
    return is_known_before(operand) || computed_.contains(operand.name());
  }

  /// Whether the value is known before the loop, perhaps because it is computed there now.
  bool compute(const Operand& operand) {
    if (is_known_before(operand) || renamed_.contains(operand.name())) return true;
    const auto found = computed_.find(operand.name());
    if (found == computed_.end()) return false;
    Instruction copy = found->second;
    auto* assign = as<Assign>(copy.node);
    auto* move = as<Move>(copy.node);
    std::vector<Operand> arguments = assign ? assign->arguments : std::vector{move->value};
    for (Operand& argument : arguments) {
      if (!compute(argument)) return false;
      argument = renamed(argument);
    }
    const NameId fresh = names_.fresh(names_.base(operand.name()), names_.type(operand.name()));
    if (assign != nullptr) {
      assign->target = fresh;
      assign->arguments = std::move(arguments);
    } else {
      move->target = fresh;
      move->value = arguments[0];
    }
    before_.push_back(std::move(copy));
    renamed_.insert({operand.name(), fresh});
    return true;
  }

  static bool fails(const Code& code) {
    return std::any_of(code.begin(), code.end(),
                       [](const Instruction& one) { return as<Fail>(one.node) != nullptr; });
  }

  Operand renamed(const Operand& operand) const {
    if (!operand.is_name()) return operand;
    const auto found = renamed_.find(operand.name());
    return found == renamed_.end() ? operand : Operand(found->second);
  }

  /// A loop without iterations takes nothing.
  Operand bytes_if_any(const Operand& bytes) {
    if (!loop_.bound.is_name()) return bytes;
    const NameId any = names_.fresh("any", ir::scalar_of(ScalarType::boolean));
    const NameId some = names_.fresh("bytes", ir::scalar_of(ScalarType::i64));
    const Operand zero = ir::i64_operand(0);
    before_.push_back({Assign{any, ScalarOp::slt, ScalarType::i64, ScalarType::boolean,
                              {zero, loop_.bound}}});
    before_.push_back({Assign{some, ScalarOp::select, ScalarType::i64, ScalarType::i64,
                              {any, bytes, zero}}});
    return some;
  }

  // A function that is called may leave its results on the stack.
  static bool takes_memory(const Code& code) {
    return std::any_of(code.begin(), code.end(), [](const Instruction& one) {
      if (as<AllocateScratch>(one.node) || as<Call>(one.node)) return true;
      if (as<ScratchScope>(one.node)) return false;
      bool inside = false;
      tree::for_each_code(one, [&](const Code& inner) { inside = inside || takes_memory(inner); });
      return inside;
    });
  }

  For& loop_;
  ir::Names& names_;
  std::unordered_map<NameId, int> times_set_;
  std::unordered_map<NameId, Instruction> computed_;  // in scopes so far
  std::unordered_map<NameId, NameId> renamed_;        // to what is computed before the loop
  Code before_;
  bool refused_ = false;  // perhaps, by what came before in an iteration
};

bool has_scopes(const Code& code) {
  return std::any_of(code.begin(), code.end(),
                     [](const Instruction& one) { return as<ScratchScope>(one.node) != nullptr; });
}

void share_in(Code& code, ir::Names& names) {
  for (Instruction& one : code) {
    tree::for_each_code(one, [&](Code& inner) { share_in(inner, names); });
    auto* loop = as<For>(one.node);
    if (loop == nullptr || !has_scopes(loop->body)) continue;
    Code scope = LoopScratch(*loop, names).take();
    if (scope.empty()) continue;
    scope.push_back(std::move(one));
    one = Instruction{ScratchScope{std::move(scope)}};
  }
}

}  // namespace

void share_scratch(Program& program) {
  for (Function& function : program.functions) share_in(function.body, program.names);
}

}  // namespace dagaz::emit
