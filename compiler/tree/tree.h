// The imperative tree: what the machine is told to do, before LLVM.  Loops, loads and stores,
// parallel loops on the CPU, kernel launches on a GPU; memory is explicit, arrays are gone.
//
// Each struct lists its members once, in DZ_FIELDS.  The type of a member says its role:
//   NameId, Operand    a use: a variable that is read, a block whose memory is read or written
//   Assigned           a variable that the instruction sets
//   Counter            a variable that it sets before each run of the code inside
//   Code               nested code
//   vectors, optionals and structs with DZ_FIELDS of these: walked through
//   anything else      an attribute
// Walking, printing, parsing, equality and hashing follow from the lists (fields.h).  What a
// well-formed tree is stands in verify.h.
//
// Variables are names of the program's ir::Names: scalars (mutable, declared by their first
// assignment in program order) and memory blocks.  Code of a parallel loop or a kernel stands
// inline where it is started; codegen moves it out into a function of its own whose parameters
// are the variables it captures (captured scalars are read-only inside).
//
// What a block variable is depends on where it is used: in host code a counted reference
// (dz_block *), in tasks and kernels the address of its data.  On the CPU target host code may
// load and store directly; on the GPU targets it must use ReadElement and WriteElement.
//
// Block variables are as mutable as scalar ones: the branches of an If, or the iterations of a
// loop, may each set the same one (by Allocate, Share, AllocateScratch, AllocateLocal).  Setting
// one releases nothing; whoever sets it again has released the old reference.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "tree/lanes.h"
#include "tree/memory.h"
#include "tree/parallel.h"
#include "tree/roles.h"

namespace dagaz::tree {

/// target := op(arguments).  `reassociate` allows LLVM to reorder a chain of it (the operator of a
/// reduction or scan, which the language says is associative).
struct Assign {
  static constexpr std::string_view mnemonic = "assign";
  Assigned target;
  ScalarOp op;
  ScalarType type;
  ScalarType result;
  std::vector<Operand> arguments;
  bool reassociate = false;
  DZ_FIELDS(target, op, type, result, arguments, reassociate)
};
struct Move {
  static constexpr std::string_view mnemonic = "move";
  Assigned target;
  Operand value;
  DZ_FIELDS(target, value)
};

/// target := block[index], counted in elements.  `invariant`: nobody writes the block while the
/// surrounding parallel loop or kernel runs (ld.global.nc, hoisting).  `atomic`: it sees what other
/// threads of the kernel write by atomic operations, whole.
struct Load {
  static constexpr std::string_view mnemonic = "load";
  Assigned target;
  NameId block;
  Operand index;
  ScalarType type;
  Space space = Space::global;
  bool invariant = false;
  bool atomic = false;
  DZ_FIELDS(target, block, index, type, space, invariant, atomic)
};
/// block[index] := value.  What lies `ahead` bytes behind it is written soon, and fetched; not in
/// kernels.
struct Store {
  static constexpr std::string_view mnemonic = "store";
  NameId block;
  Operand index;
  Operand value;
  ScalarType type;
  Space space = Space::global;
  std::optional<int> ahead = {};
  DZ_FIELDS(block, index, value, type, space, ahead)
};

/// What may be assumed of a loop.
struct LoopHints {
  bool independent = false;  // iterations touch different memory: vectorise freely
  bool unroll = false;
  bool rolled = false;       // not unrolled, unless it is known how often it runs
  bool vectorise = false;    // even where it does not look worthwhile
  bool masked = false;       // in vectors, the last of which may be incomplete
  bool whole = false;        // in vectors, which are all complete
  DZ_FIELDS(independent, unroll, rolled, vectorise, masked, whole)
};
/// for index in 0 … bound-1
struct For {
  static constexpr std::string_view mnemonic = "for";
  static constexpr std::string_view labelled = "bound";
  Counter index;
  Operand bound;
  Code body;
  LoopHints hints;
  DZ_FIELDS(index, bound, hints, body)
};
/// Runs `test`, then `body` and again while `condition` (set by `test`) holds.  `rolled`: unrolling
/// it would only make code long; `few`: and this it would if its body is long.
struct While {
  static constexpr std::string_view mnemonic = "while";
  static constexpr std::string_view labelled = "condition";
  Code test;
  NameId condition;
  Code body;
  bool rolled = false;
  bool few = false;
  DZ_FIELDS(test, condition, rolled, few, body)
};
struct If {
  static constexpr std::string_view mnemonic = "if";
  Operand condition;
  Code then_code;
  Code else_code;
  DZ_FIELDS(condition, then_code, else_code)
};

// ---------------------------------------------------------------- calls and errors

/// Calls a host function (from host code) or a device function (from tasks and kernels).
/// Failures of the callee propagate.
struct Call {
  static constexpr std::string_view mnemonic = "call";
  std::string function;
  std::vector<Operand> arguments;
  std::vector<Assigned> results;
  ir::LocationId location = {};  // of operations between ranks
  DZ_FIELDS(function, arguments, results, location)
};
/// Host, CPU target: calls a host function without results for parts of [0, count), the ends of which
/// are its last two arguments.  Threads have an iteration at a time, and what is parallel in it runs
/// on one thread; where they meet inside (ThreadsMeet), one call has all iterations.
struct CallForEach {
  static constexpr std::string_view mnemonic = "call_for_each";
  static constexpr std::string_view labelled = "count";
  std::string function;
  Operand count;
  std::vector<Operand> arguments;
  ir::LocationId location = {};
  DZ_FIELDS(function, count, arguments, location)
};
/// target := how far the stack of this thread may grow, an i64 for StackLeft.
struct StackLimit {
  static constexpr std::string_view mnemonic = "stack_limit";
  Assigned target;
  DZ_FIELDS(target)
};
/// target := whether the stack has not grown that far, so that a function may call itself.
struct StackLeft {
  static constexpr std::string_view mnemonic = "stack_left";
  Assigned target;
  Operand limit;
  DZ_FIELDS(target, limit)
};
/// Ends the entry point with failure number `failure` of Program::failures; `arguments` are i64.
/// In a task the error is recorded and the loop ends; in a kernel the thread sets the failure
/// word, if it is the first, and ends.
///
/// `arena_exhausted` instead of a number: the arrays of a kernel's thread need more than the
/// arena has; the argument says how many bytes.
inline constexpr int arena_exhausted = -2;
struct Fail {
  static constexpr std::string_view mnemonic = "fail";
  int failure;
  std::vector<Operand> arguments;
  DZ_FIELDS(failure, arguments)
};

using Node =
    std::variant<Assign, Move, Load, Store, For, While, If, Allocate, Share, Release,
                 AllocateScratch, ScratchScope, AllocateLocal, SharedMemory, CopyElements, Sort,
                 Fetch,
                 WriteTable, Fill, ReadElement, WriteElement, LoadLanes, StoreLanes, LaneNumbers,
                 CombineLanes, CombineEach, TransposeLanes, CompressLanes, CountLanes, ShiftLanes,
                 LastLane, ParallelFor, PieceCount, ThreadsMeet, AdditionPieces, Launch,
                 ReadSpecial,
                 DeviceProperty, Barrier, Shuffle, Match, LoadMatrices, MultiplyMatrices, CopyAsync,
                 CommitCopies, AwaitCopies, Fence,
                 Atomic, CompareExchange, Call, CallForEach, StackLimit, StackLeft, Fail>;

template <typename T, typename Variant>
inline constexpr bool is_alternative_of = false;
template <typename T, typename... Ts>
inline constexpr bool is_alternative_of<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// One step of code.  Its special members are defined in tree.cpp, so that files that only hand
/// code on need not instantiate those of all alternatives.
class Instruction {
 public:
  /// From one of the structs above.
  template <typename Alternative>
    requires is_alternative_of<Alternative, Node>
  Instruction(Alternative alternative);
  Instruction(Node any);
  Instruction();  // to be assigned
  Instruction(const Instruction& other);
  Instruction(Instruction&& other) noexcept;
  Instruction& operator=(const Instruction& other);
  Instruction& operator=(Instruction&& other) noexcept;
  ~Instruction();

  Node node;
};

}  // namespace dagaz::tree

// Code grows and dies in one place only, too.
extern template class std::vector<dagaz::tree::Instruction>;

namespace dagaz::tree {

/// Parameters and results are scalars and blocks.  Block parameters are borrowed; block results
/// carry a reference for the caller.  A device function has block parameters as addresses and may
/// return blocks only if they are among its parameters.
struct Function {
  std::string name;
  bool device = false;  // callable from tasks and kernels
  std::vector<NameId> parameters;
  std::vector<Operand> results;
  Code body;
};

/// Text with a {} for each argument, and the chain of source positions, innermost first.
struct Failure {
  std::string text;
  ir::LocationId location;
};

/// A whole program.  An entry point's function takes the EntryPoint's size parameters, then for
/// each leaf its scalar or its block (dense, row-major, from element 0); it returns the size
/// results and then a scalar or block (dense, from element 0) for each leaf.
struct Program {
  Target target;
  ir::Names names;
  std::vector<ir::Location> locations;
  std::vector<Function> functions;
  std::vector<Failure> failures;
  std::vector<ir::EntryPoint> entries;
  std::vector<ir::ExternalType> external_types;
  /// The leaf types behind each entry's parameters and results, in order: sizes are names of
  /// size parameters, size results, or constants.  Codegen checks and builds shapes from these.
  std::vector<std::vector<ir::Type>> entry_inputs;
  std::vector<std::vector<ir::Type>> entry_outputs;
};

/// Whether an operand is the integer constant `value`.
bool is_constant(const Operand& operand, std::int64_t value);

}  // namespace dagaz::tree
