// One walk in the order of the text: what is set, where each instruction stands, and which space
// each block is in.  Types are the business of verify_types.cpp, barriers of verify_barriers.cpp.
#include "tree/verify.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "support/match.h"
#include "tree/form.h"
#include "tree/print.h"
#include "tree/verify_rules.h"
#include "tree/walk.h"

namespace dagaz::tree {

namespace {

/// Violations after which the rest is not looked for.
constexpr std::size_t enough = 50;

constexpr int most_lanes = 4096;
/// That a kernel can hand on.
constexpr std::size_t failure_arguments = 8;

/// Where code runs.
enum class Side : unsigned { host = 1, task = 2, kernel = 4 };

/// The sides that an instruction may stand on.
constexpr unsigned on_host = 1;
constexpr unsigned on_task = 2;
constexpr unsigned on_kernel = 4;

constexpr unsigned sides_of(const Assign&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Move&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Load&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Store&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const For&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const While&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const If&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Allocate&) { return on_host; }
constexpr unsigned sides_of(const Share&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Release&) { return on_host; }
constexpr unsigned sides_of(const AllocateScratch&) { return on_task; }
constexpr unsigned sides_of(const ScratchScope&) { return on_task; }
constexpr unsigned sides_of(const AllocateLocal&) { return on_task | on_kernel; }
constexpr unsigned sides_of(const SharedMemory&) { return on_kernel; }
constexpr unsigned sides_of(const CopyElements&) { return on_host | on_task; }
constexpr unsigned sides_of(const Sort&) { return on_host; }
constexpr unsigned sides_of(const Fetch&) { return on_task; }
constexpr unsigned sides_of(const WriteTable&) { return on_host | on_task; }
constexpr unsigned sides_of(const Fill&) { return on_host; }
constexpr unsigned sides_of(const ReadElement&) { return on_host; }
constexpr unsigned sides_of(const WriteElement&) { return on_host; }
constexpr unsigned sides_of(const LoadLanes&) { return on_task; }
constexpr unsigned sides_of(const StoreLanes&) { return on_task; }
constexpr unsigned sides_of(const LaneNumbers&) { return on_task; }
constexpr unsigned sides_of(const CombineLanes&) { return on_task; }
constexpr unsigned sides_of(const CombineEach&) { return on_task; }
constexpr unsigned sides_of(const TransposeLanes&) { return on_task; }
constexpr unsigned sides_of(const CompressLanes&) { return on_task; }
constexpr unsigned sides_of(const CountLanes&) { return on_task; }
constexpr unsigned sides_of(const ShiftLanes&) { return on_task; }
constexpr unsigned sides_of(const LastLane&) { return on_task; }
constexpr unsigned sides_of(const ParallelFor&) { return on_host; }
constexpr unsigned sides_of(const PieceCount&) { return on_host; }
constexpr unsigned sides_of(const ThreadsMeet&) { return on_host; }
constexpr unsigned sides_of(const AdditionPieces&) { return on_host; }
constexpr unsigned sides_of(const Launch&) { return on_host; }
constexpr unsigned sides_of(const ReadSpecial&) { return on_kernel; }
constexpr unsigned sides_of(const DeviceProperty&) { return on_host; }
constexpr unsigned sides_of(const Barrier&) { return on_kernel; }
constexpr unsigned sides_of(const Shuffle&) { return on_kernel; }
constexpr unsigned sides_of(const Match&) { return on_kernel; }
constexpr unsigned sides_of(const LoadMatrices&) { return on_kernel; }
constexpr unsigned sides_of(const MultiplyMatrices&) { return on_kernel; }
constexpr unsigned sides_of(const CopyAsync&) { return on_kernel; }
constexpr unsigned sides_of(const CommitCopies&) { return on_kernel; }
constexpr unsigned sides_of(const AwaitCopies&) { return on_kernel; }
constexpr unsigned sides_of(const Fence&) { return on_task | on_kernel; }
constexpr unsigned sides_of(const Atomic&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const CompareExchange&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Call&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const CallForEach&) { return on_host; }
constexpr unsigned sides_of(const StackLimit&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const StackLeft&) { return on_host | on_task | on_kernel; }
constexpr unsigned sides_of(const Fail&) { return on_host | on_task | on_kernel; }

/// Whether host code of a GPU target must leave it to others: it sees no memory of the device.
bool touches_memory(const Node& node) {
  return as<Load>(node) || as<Store>(node) || as<Atomic>(node) || as<CompareExchange>(node);
}

const char* name_of(Side side) {
  switch (side) {
    case Side::host: return "host code";
    case Side::task: return "a task";
    case Side::kernel: return "a kernel";
  }
  return "";
}

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), names_(program.names), known_(program.names.size()) {}

  std::vector<Violation> run() {
    for (const Function& one : program_.functions) function(one);
    if (!fatal_) entries();
    return std::move(violations_);
  }

 private:
  /// What is known of a variable at a place of the text.
  struct Known {
    bool is_set = false;
    bool is_captured = false;
    bool is_released = false;
    std::optional<Space> space = std::nullopt;  // of a block, where it is known
  };

  bool broken() const { return fatal_ || violations_.size() >= enough; }
  void violation(std::string message) { violations_.push_back({std::move(message), current_}); }
  std::string text(NameId name) const { return "`" + names_.text(name) + "`"; }

  // -------------------------------------------------------------- variables

  bool exists(NameId name) {
    if (name.valid() && name.index < names_.size()) return true;
    fatal_ = true;
    violations_.push_back({"a variable that does not exist", nullptr});
    return false;
  }
  void use(const Operand& operand) {
    if (!operand.is_name() || !exists(operand.name())) return;
    const Known& known = known_[operand.name().index];
    if (!known.is_set) violation(text(operand.name()) + " is used before it is set");
    if (known.is_released) violation(text(operand.name()) + " is used after its release");
  }
  void set(NameId name) {
    if (!exists(name)) return;
    Known& known = known_[name.index];
    if (known.is_captured) violation(text(name) + " is captured, and set");
    if (!known.is_set) {
      check_kind(name);
      set_here_.push_back(name);
    }
    known.is_set = true;
    known.is_released = false;
  }
  void check_kind(NameId name) {
    const ir::Type& type = names_.type(name);
    const bool has_lanes = type.kind == ir::TypeKind::value && type.rank() == 1 &&
                           lanes_of(type) > 0 && lanes_of(type) <= most_lanes;
    if (!type.is_scalar() && !has_lanes && type != block_type()) {
      violation(text(name) + " is no scalar, has no lanes and is no block");
    }
  }
  void forget(std::size_t from) {
    for (std::size_t k = from; k < set_here_.size(); ++k) known_[set_here_[k].index] = {};
    set_here_.resize(from);
  }

  // -------------------------------------------------------------- functions

  void function(const Function& function) {
    if (broken()) return;
    current_ = nullptr;
    if (!functions_.insert(function.name).second) {
      violation("two functions are called \"" + function.name + "\"");
    }
    const bool on_gpu = program_.target != Target::cpu;
    side_ = !function.device ? Side::host : on_gpu ? Side::kernel : Side::task;
    owned_.clear();
    for (const NameId parameter : function.parameters) set(parameter);
    code(function.body);
    current_ = nullptr;
    for (const Operand& result : function.results) {
      use(result);
      if (result.is_name()) owned_.erase(result.name());
    }
    if (!broken() && side_ == Side::host) {
      for (const auto& [block, allocation] : owned_) {
        current_ = allocation;
        violation(text(block) + " is allocated, and neither released nor a result");
      }
    }
    forget(0);
    released_.clear();
  }

  void code(const Code& code) {
    for (const Instruction& one : code) {
      if (broken()) return;
      instruction(one);
    }
  }

  void instruction(const Instruction& instruction) {
    const Instruction* const outer = std::exchange(current_, &instruction);
    const std::size_t before = violations_.size();
    place(instruction.node);
    InstructionVisitor visitor;
    visitor.use = [&](const Operand& operand) { use(operand); };
    visitor.set = [&](NameId name) { set(name); };
    visitor.nested = [&](const Code& inner) {
      current_ = &instruction;
      nested(instruction.node, inner);
      current_ = &instruction;
    };
    visit(instruction, visitor);
    // With variables unknown, the rest would only repeat it.
    if (violations_.size() == before && !fatal_) {
      verify_types(instruction, program_, [&](std::string text) { violation(std::move(text)); });
    }
    if (violations_.size() == before && !fatal_) {
      std::visit([&](const auto& node) { note(node); }, instruction.node);
    }
    current_ = outer;
  }

  // -------------------------------------------------------------- where code runs

  void place(const Node& node) {
    const bool on_gpu = program_.target != Target::cpu;
    std::visit(
        [&]<typename T>(const T& one) {
          if ((sides_of(one) & static_cast<unsigned>(side_)) == 0) {
            violation(std::string(T::mnemonic) + " in " + name_of(side_));
          }
        },
        node);
    const bool of_cpu = as<ParallelFor>(node) || as<PieceCount>(node) ||
                        as<ThreadsMeet>(node) || as<AdditionPieces>(node) || as<CallForEach>(node);
    const auto* property = as<DeviceProperty>(node);  // a CPU, too, has threads
    const bool of_gpu = as<Launch>(node) || as<Fill>(node) ||
                        (property && property->property != Property::resident_threads);
    if (of_cpu && on_gpu) violation("the target is no CPU");
    if (of_gpu && !on_gpu) violation("the target is no GPU");
    if (on_gpu && side_ == Side::host && touches_memory(node)) {
      violation("host code touches memory of the device");
    }
  }

  /// What one branch releases the other may use; after both it is gone.
  void branches(const If& branch) {
    const std::size_t mark = released_.size();
    code(branch.then_code);
    const std::vector<NameId> by_then(released_.begin() + static_cast<std::ptrdiff_t>(mark),
                                      released_.end());
    for (const NameId name : by_then) known_[name.index].is_released = false;
    code(branch.else_code);
    for (const NameId name : by_then) known_[name.index].is_released = true;
  }

  void nested(const Node& node, const Code& inner) {
    if (const auto* branch = as<If>(node)) {
      if (&inner == &branch->then_code) branches(*branch);
      return;
    }
    if (!as<ParallelFor>(node) && !as<Launch>(node)) {
      code(inner);
      return;
    }
    const bool launches = as<Launch>(node) != nullptr;
    const Side outer = std::exchange(side_, launches ? Side::kernel : Side::task);
    std::vector<NameId> captured = captured_variables(inner);
    if (const auto* loop = as<ParallelFor>(node)) {
      std::erase_if(captured, [&](NameId one) { return one == loop->begin || one == loop->end; });
    }
    for (const NameId name : captured) {
      if (!exists(name)) return;
      known_[name.index].is_captured = true;
      if (lanes_of_captured(name)) violation(text(name) + " has lanes, and is captured");
    }
    const std::size_t mark = set_here_.size();
    code(inner);
    forget(mark);
    for (const NameId name : captured) known_[name.index].is_captured = false;
    side_ = outer;
    if (launches && !broken()) verify_barriers(inner, violations_);
  }
  bool lanes_of_captured(NameId name) const { return names_.type(name).is_array(); }

  // -------------------------------------------------------------- what instructions do

  template <typename T>
  void note(const T&) {}  // whatever neither makes, gives up nor reads a block, calls nor launches
  void note(const Allocate& e) { owned_.try_emplace(e.block, current_); }
  void note(const Share& e) {
    if (side_ == Side::host && !is_constant(e.byte_offset, 0)) {
      violation("host code shares a part of a block");
    }
    known_[e.target.name.index].space = known_[e.source.index].space;
  }
  void note(const Release& e) {
    owned_.erase(e.block);
    known_[e.block.index].is_released = true;
    released_.push_back(e.block);
  }
  void note(const Fail& e) {
    if (side_ == Side::kernel && e.arguments.size() > failure_arguments) {
      violation("too many arguments of a failure");
    }
  }
  void note(const AllocateLocal& e) {
    if (side_ == Side::kernel) known_[e.block.name.index].space = Space::local;
  }
  void note(const SharedMemory& e) { known_[e.block.name.index].space = Space::shared; }
  void note(const Load& e) { access(e.block, e.space); }
  void note(const Store& e) { access(e.block, e.space); }
  void note(const Atomic& e) { access(e.block, e.space); }
  void note(const CompareExchange& e) { access(e.block, e.space); }
  void note(const CopyAsync& e) {
    access(e.target, Space::shared);
    access(e.source, Space::global);
  }
  void access(NameId block, Space space) {
    if (space != known_[block.index].space.value_or(Space::global)) {
      violation(text(block) + " is in another space");
    }
  }
  void note(const Call& e) { called(e.function); }
  void note(const CallForEach& e) { called(e.function); }
  void called(const std::string& name) {
    const auto callee = std::find_if(program_.functions.begin(), program_.functions.end(),
                                     [&](const Function& one) { return one.name == name; });
    if (callee->device != (side_ != Side::host)) {
      violation("\"" + name + "\" is called from " + name_of(side_));
    }
  }
  void note(const Launch& e) {
    const auto [same, fresh] = launches_.try_emplace(e.kernel, &e);
    if (fresh) return;
    if (!same_form(same->second->body, e.body, names_)) {
      violation("another kernel has this name");
    }
    if (same->second->block_threads != e.block_threads) {
      violation("another launch of this kernel has other threads");
    }
  }

  // -------------------------------------------------------------- entry points

  void entries() {
    current_ = nullptr;
    for (std::size_t k = 0; k < program_.entries.size(); ++k) {
      const ir::EntryPoint& entry = program_.entries[k];
      const auto function =
          std::find_if(program_.functions.begin(), program_.functions.end(),
                       [&](const Function& one) { return one.name == entry.function; });
      for (const auto* values : {&entry.inputs, &entry.outputs}) {
        for (const ir::ExternalValue& value : *values) {
          // What computes the constants (ir/globals.h) takes tuning parameters, which have no type.
          if (entry.name.empty() && value.type == -1) continue;
          const bool known = value.type >= 0 && static_cast<std::size_t>(value.type) <
                                                    program_.external_types.size();
          if (!known) violation("entry point \"" + entry.name + "\" mentions an unknown type");
        }
      }
      if (function == program_.functions.end()) {
        violation("entry point \"" + entry.name + "\" has no function");
        continue;
      }
      const auto leaves = [&](int sizes, const std::vector<std::vector<ir::Type>>& types) {
        return static_cast<std::size_t>(sizes) + types[k].size();
      };
      if (function->parameters.size() != leaves(entry.size_parameters, program_.entry_inputs)) {
        violation("the number of parameters of entry point \"" + entry.name + "\"");
      }
      if (function->results.size() != leaves(entry.size_results, program_.entry_outputs)) {
        violation("the number of results of entry point \"" + entry.name + "\"");
      }
    }
  }

  const Program& program_;
  const ir::Names& names_;
  std::vector<Known> known_;
  std::vector<NameId> set_here_;  // in the function, in order
  std::vector<NameId> released_;  // likewise
  std::unordered_map<NameId, const Instruction*> owned_;  // blocks, by where they are allocated
  std::unordered_map<std::string, const Launch*> launches_;
  std::unordered_set<std::string> functions_;
  std::vector<Violation> violations_;
  Side side_ = Side::host;
  const Instruction* current_ = nullptr;
  bool fatal_ = false;  // a variable that is none: its type cannot be looked up
};

}  // namespace

std::vector<Violation> verify(const Program& program) { return Verifier(program).run(); }

std::string text_of(const Violation& violation, const Program& program) {
  if (violation.instruction == nullptr) return violation.message;
  // The first line: code inside may be long.
  const std::string whole = print(*violation.instruction, program.names);
  return violation.message + " in `" + whole.substr(0, whole.find('\n')) + "`";
}

}  // namespace dagaz::tree
