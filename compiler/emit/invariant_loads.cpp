// Loads of memory that the same kernel writes must not go through the read-only cache, and what is
// the same memory is not told by names: two block variables may share a block.
//
// Every place that makes memory is two roots: the block that it made last, and all those that it
// made before (Balakrishnan and Reps, "Recency-abstraction for heap-allocated storage", 2006).
// Hence the buffers that the iterations of a loop make and hand on are told apart, but for the
// oldest ones.  The walk through host code knows the roots that each block variable may mean; a
// load is invariant where its block and those that the kernel writes have none in common, at every
// launch of the kernel.
#include "emit/invariant_loads.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "support/match.h"

namespace dagaz::emit {

namespace {

using Roots = std::set<int>;
using State = std::unordered_map<NameId, Roots>;
constexpr int unknown = -1;

/// `action` for every instruction of `code` and of what is nested in it, but not inside launches.
template <typename AnyCode, typename Action>
void for_each_instruction(AnyCode& code, const Action& action) {
  for (auto& instruction : code) {
    action(instruction);
    if (auto* loop = as<For>(instruction.node)) {
      for_each_instruction(loop->body, action);
    } else if (auto* repeat = as<While>(instruction.node)) {
      for_each_instruction(repeat->test, action);
      for_each_instruction(repeat->body, action);
    } else if (auto* branch = as<If>(instruction.node)) {
      for_each_instruction(branch->then_code, action);
      for_each_instruction(branch->else_code, action);
    } else if (auto* scope = as<ScratchScope>(instruction.node)) {
      for_each_instruction(scope->body, action);
    }
  }
}

bool have_common(const Roots& some, const Roots& others) {
  if (some.contains(unknown) || others.contains(unknown)) return !some.empty() && !others.empty();
  return std::any_of(some.begin(), some.end(), [&](int root) { return others.contains(root); });
}

/// The roots of the block variables of one kernel.
class KernelRoots {
 public:
  KernelRoots(const Launch& launch, const State& outside, const ir::Names& names)
      : launch_(launch), outside_(outside), names_(names) {
    for (bool changed = true; changed;) {
      changed = false;
      for_each_instruction(launch.body, [&](const Instruction& one) { changed |= step(one); });
    }
  }

  Roots of(NameId block) const {
    if (const auto own = own_.find(block); own != own_.end()) return own->second;
    const auto found = outside_.find(block);
    return found == outside_.end() ? Roots{unknown} : found->second;
  }

  Roots written() const {
    Roots all;
    for_each_instruction(launch_.body, [&](const Instruction& one) {
      const auto writes = [&](NameId block) { all.merge(of(block)); };
      if (const auto* store = as<Store>(one.node)) writes(store->block);
      if (const auto* atomic = as<Atomic>(one.node)) writes(atomic->block);
      if (const auto* exchange = as<CompareExchange>(one.node)) writes(exchange->block);
      if (const auto* copy = as<CopyElements>(one.node)) writes(copy->target);
      if (const auto* copy = as<CopyAsync>(one.node)) writes(copy->target);
      if (const auto* table = as<WriteTable>(one.node)) writes(table->block);
      const auto* call = as<Call>(one.node);
      if (call == nullptr) return;
      for (const Operand& argument : call->arguments) {
        if (argument.is_name() && is_block(argument.name())) writes(argument.name());
      }
    });
    return all;
  }

 private:
  /// Whether a block variable may mean more than was known.
  bool step(const Instruction& one) {
    if (const auto* local = as<AllocateLocal>(one.node)) {
      return own_.try_emplace(local->block).second;
    }
    if (const auto* shared = as<SharedMemory>(one.node)) {
      return own_.try_emplace(shared->block).second;
    }
    const auto* move = as<Move>(one.node);
    if (move != nullptr && is_block(move->target)) return share(move->target, move->value.name());
    const auto* shared_part = as<Share>(one.node);
    return shared_part != nullptr && share(shared_part->target, shared_part->source);
  }

  bool share(NameId target, NameId source) {
    Roots roots = of(source);
    const auto [own, fresh] = own_.try_emplace(target);
    const std::size_t before = own->second.size();
    own->second.merge(roots);
    return fresh || own->second.size() != before;
  }

  bool is_block(NameId name) const { return names_.type(name).kind == ir::TypeKind::block; }

  const Launch& launch_;
  const State& outside_;
  const ir::Names& names_;
  State own_;  // of the blocks that the kernel sets
};

class HostWalk {
 public:
  explicit HostWalk(const ir::Names& names) : names_(names) {}

  void walk(const Function& function) {
    State state;
    for (const NameId parameter : function.parameters) {
      if (is_block(parameter)) made_at(&parameter, parameter, {}, state);
    }
    walk(function.body, state);
  }

  /// By kernel: for each load in order, whether it may be of memory that the kernel writes.
  std::unordered_map<std::string, std::vector<bool>> clashes;

 private:
  bool is_block(NameId name) const { return names_.type(name).kind == ir::TypeKind::block; }

  void walk(const Code& code, State& state) {
    for (const Instruction& instruction : code) walk(instruction, state);
  }

  void walk(const Instruction& instruction, State& state) {
    const Node& node = instruction.node;
    if (const auto* made = as<Allocate>(node)) {
      made_at(made, made->block, {}, state);
    } else if (const auto* share = as<Share>(node)) {
      state[share->target] = roots_of(share->source, state);
    } else if (const auto* move = as<Move>(node); move != nullptr && is_block(move->target)) {
      state[move->target] = roots_of(move->value.name(), state);
    } else if (const auto* released = as<Release>(node)) {
      state.erase(released->block);
    } else if (const auto* call = as<Call>(node)) {
      walk_call(*call, state);
    } else if (const auto* branch = as<If>(node)) {
      State otherwise = state;
      walk(branch->then_code, state);
      walk(branch->else_code, otherwise);
      set_join(state, std::move(otherwise));
    } else if (const auto* loop = as<For>(node)) {
      until_stable(state, [&](State& inner) { walk(loop->body, inner); });
    } else if (const auto* repeat = as<While>(node)) {
      until_stable(state, [&](State& inner) {
        walk(repeat->test, inner);
        walk(repeat->body, inner);
      });
    } else if (const auto* scope = as<ScratchScope>(node)) {
      walk(scope->body, state);
    } else if (const auto* launch = as<Launch>(node)) {
      walk_launch(*launch, state);
    }
  }

  static Roots roots_of(NameId block, const State& state) {
    const auto found = state.find(block);
    return found == state.end() ? Roots{unknown} : found->second;
  }

  /// `block` means memory made at `place`, or one of `others`; what the place made before is old.
  void made_at(const void* place, NameId block, Roots others, State& state) {
    const int number = places_.try_emplace(place, static_cast<int>(places_.size())).first->second;
    const int newest = 2 * number;
    for (auto& [name, roots] : state) {
      if (roots.erase(newest) > 0) roots.insert(newest + 1);
    }
    others.insert(newest);
    state[block] = std::move(others);
  }

  // A result may be memory of an argument.
  void walk_call(const Call& call, State& state) {
    Roots given;
    for (const Operand& argument : call.arguments) {
      if (argument.is_name() && is_block(argument.name())) {
        given.merge(roots_of(argument.name(), state));
      }
    }
    for (const auto& result : call.results) {
      if (is_block(result)) made_at(&result, result, given, state);
    }
  }

  void walk_launch(const Launch& launch, const State& state) {
    const KernelRoots kernel(launch, state, names_);
    const Roots written = kernel.written();
    std::vector<bool>& known = clashes[launch.kernel];
    std::size_t number = 0;
    for_each_instruction(launch.body, [&](const Instruction& one) {
      const auto* load = as<Load>(one.node);
      if (load == nullptr) return;
      if (number == known.size()) known.push_back(false);
      if (have_common(kernel.of(load->block), written)) known[number] = true;
      ++number;
    });
  }

  static void set_join(State& state, State other) {
    for (auto& [name, roots] : other) state[name].merge(roots);
  }

  // A loop may run any number of times.
  template <typename Pass>
  static void until_stable(State& state, const Pass& pass) {
    while (true) {
      State after = state;
      pass(after);
      State joined = state;
      set_join(joined, std::move(after));
      if (joined == state) return;
      state = std::move(joined);
    }
  }

  const ir::Names& names_;
  std::unordered_map<const void*, int> places_;
};

}  // namespace

void mark_invariant_loads(Program& program) {
  HostWalk hosts(program.names);
  for (const Function& function : program.functions) {
    if (!function.device) hosts.walk(function);
  }
  for (Function& function : program.functions) {
    for_each_instruction(function.body, [&](Instruction& one) {
      auto* launch = as<Launch>(one.node);
      if (launch == nullptr) return;
      const std::vector<bool>& clashes = hosts.clashes.at(launch->kernel);
      std::size_t number = 0;
      for_each_instruction(launch->body, [&](Instruction& inner) {
        auto* load = as<Load>(inner.node);
        if (load == nullptr) return;
        load->invariant = load->space == Space::global && !clashes[number];
        ++number;
      });
    });
  }
}

}  // namespace dagaz::emit
