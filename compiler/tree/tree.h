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

#include "ir/program.h"

namespace dagaz::tree {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

class Instruction;
using Code = std::vector<Instruction>;

/// A variable that the instruction sets.
struct Assigned {
  NameId name;

  Assigned() = default;
  Assigned(NameId variable) : name(variable) {}
  operator NameId() const { return name; }
};
/// A variable that the instruction sets before each run of the code inside it.
struct Counter {
  NameId name;

  Counter() = default;
  Counter(NameId variable) : name(variable) {}
  operator NameId() const { return name; }
};

enum class Target { cpu, cuda, sim };

/// Which memory a block is in, as seen by a kernel.
enum class Space { global, shared, local };

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
/// surrounding parallel loop or kernel runs (ld.global.nc, hoisting).
struct Load {
  static constexpr std::string_view mnemonic = "load";
  Assigned target;
  NameId block;
  Operand index;
  ScalarType type;
  Space space = Space::global;
  bool invariant = false;
  DZ_FIELDS(target, block, index, type, space, invariant)
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
  bool vectorise = false;    // even where it does not look worthwhile
  DZ_FIELDS(independent, unroll, vectorise)
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
/// it would only make code long.
struct While {
  static constexpr std::string_view mnemonic = "while";
  static constexpr std::string_view labelled = "condition";
  Code test;
  NameId condition;
  Code body;
  bool rolled = false;
  DZ_FIELDS(test, condition, rolled, body)
};
struct If {
  static constexpr std::string_view mnemonic = "if";
  Operand condition;
  Code then_code;
  Code else_code;
  DZ_FIELDS(condition, then_code, else_code)
};

// ---------------------------------------------------------------- memory

/// Host: a new block with one reference.  Fails with out-of-memory.
struct Allocate {
  static constexpr std::string_view mnemonic = "allocate";
  Assigned block;
  Operand bytes;
  DZ_FIELDS(block, bytes)
};
/// Host: target := source, sharing the block (one more reference).  Task or kernel: target := the
/// same address, or one `byte_offset` further.
struct Share {
  static constexpr std::string_view mnemonic = "share";
  static constexpr std::string_view labelled = "byte_offset";
  Assigned target;
  NameId source;
  Operand byte_offset = ir::i64_operand(0);
  DZ_FIELDS(target, source, byte_offset)
};
/// Host: gives up a reference; the variable is dead afterwards.
struct Release {
  static constexpr std::string_view mnemonic = "release";
  NameId block;
  DZ_FIELDS(block)
};
/// Task: memory from the task's scratch stack, given back when the task ends or at the matching
/// ScratchScope's end.
struct AllocateScratch {
  static constexpr std::string_view mnemonic = "allocate_scratch";
  Assigned block;
  Operand bytes;
  DZ_FIELDS(block, bytes)
};
/// Scratch memory allocated in `body` is given back after it.
struct ScratchScope {
  static constexpr std::string_view mnemonic = "scratch_scope";
  Code body;
  DZ_FIELDS(body)
};
/// Task or kernel: a fixed number of bytes on the thread's own stack (for one in a loop the
/// same bytes in each iteration).
struct AllocateLocal {
  static constexpr std::string_view mnemonic = "allocate_local";
  Assigned block;
  std::int64_t bytes;
  DZ_FIELDS(block, bytes)
};
/// Kernel: part of the block's shared memory, from `byte_offset` of the launch's shared bytes.
struct SharedMemory {
  static constexpr std::string_view mnemonic = "shared_memory";
  static constexpr std::string_view labelled = "byte_offset";
  Assigned block;
  Operand byte_offset;
  DZ_FIELDS(block, byte_offset)
};
/// Host or task: copies `count` elements between blocks that do not overlap.
struct CopyElements {
  static constexpr std::string_view mnemonic = "copy";
  static constexpr std::string_view labelled = "source, count";
  NameId target;
  Operand target_index;
  NameId source;
  Operand source_index;
  Operand count;
  ScalarType type;
  DZ_FIELDS(target, target_index, source, source_index, count, type)
};
/// Host or task: writes the elements of a table from `index` on.
struct WriteTable {
  static constexpr std::string_view mnemonic = "write_table";
  NameId block;
  Operand index;
  std::vector<ir::Constant> values;
  ScalarType type;
  DZ_FIELDS(block, index, values, type)
};
/// Host, GPU targets: sets bytes of the device to zero.
struct Clear {
  static constexpr std::string_view mnemonic = "clear";
  static constexpr std::string_view labelled = "byte_offset, bytes";
  NameId block;
  Operand byte_offset;
  Operand bytes;
  DZ_FIELDS(block, byte_offset, bytes)
};
/// Host: one element; on GPU targets from the device, for which it waits.
struct ReadElement {
  static constexpr std::string_view mnemonic = "read_element";
  Assigned target;
  NameId block;
  Operand index;
  ScalarType type;
  DZ_FIELDS(target, block, index, type)
};
/// Host: the other way round.
struct WriteElement {
  static constexpr std::string_view mnemonic = "write_element";
  NameId block;
  Operand index;
  Operand value;
  ScalarType type;
  DZ_FIELDS(block, index, value, type)
};

// ---------------------------------------------------------------- lanes

// A variable whose type is a rank-1 array of constant size holds a value for each of as many
// lanes, in a vector register.  Assign and Move work on all lanes; operands that are plain
// scalars count for every lane.  CPU tasks only.

/// The type of block variables.
inline ir::Type block_type() { return {ScalarType::i8, {}, ir::TypeKind::block}; }

/// How many lanes a variable of this type has; 0 for plain scalars and blocks.
int lanes_of(const ir::Type& type);

/// target[l] := block[index + l·stride]; or block[index[l]] where `index` has lanes.  With a
/// `mask`, booleans, memory is read only for lanes where it holds; the others become `otherwise`,
/// or zero.
struct LoadLanes {
  static constexpr std::string_view mnemonic = "load_lanes";
  static constexpr std::string_view labelled = "stride";
  Assigned target;
  NameId block;
  Operand index;
  Operand stride;
  ScalarType type;
  std::optional<Operand> mask = std::nullopt;
  std::optional<Operand> otherwise = std::nullopt;
  DZ_FIELDS(target, block, index, stride, type, mask, otherwise)
};
/// The other way round.  Of lanes that write to one place the last wins.  With a `mask`, lanes
/// where it does not hold write nothing.
struct StoreLanes {
  static constexpr std::string_view mnemonic = "store_lanes";
  static constexpr std::string_view labelled = "stride";
  NameId block;
  Operand index;
  Operand stride;
  Operand value;
  ScalarType type;
  std::optional<Operand> mask = std::nullopt;
  DZ_FIELDS(block, index, stride, value, type, mask)
};
/// target := 0, 1, 2, … as i64.
struct LaneNumbers {
  static constexpr std::string_view mnemonic = "lane_numbers";
  Assigned target;
  DZ_FIELDS(target)
};
/// target := op over the lanes of `value`, in any order.
struct CombineLanes {
  static constexpr std::string_view mnemonic = "combine_lanes";
  Assigned target;
  ScalarOp op;
  ScalarType type;
  Operand value;
  DZ_FIELDS(target, op, type, value)
};
/// Lane k of target := op over the lanes of values[k], in any order; as many values as lanes.
struct CombineEach {
  static constexpr std::string_view mnemonic = "combine_each";
  Assigned target;
  ScalarOp op;
  ScalarType type;
  std::vector<Operand> values;
  DZ_FIELDS(target, op, type, values)
};
/// targets[k] := lane k of each of `values`, as many as there are lanes.
struct TransposeLanes {
  static constexpr std::string_view mnemonic = "transpose_lanes";
  std::vector<Assigned> targets;
  std::vector<Operand> values;
  DZ_FIELDS(targets, values)
};
/// target := the lanes of `value` where `mask` holds, one after another from the first lane on; the
/// lanes behind them may be anything.
struct CompressLanes {
  static constexpr std::string_view mnemonic = "compress_lanes";
  static constexpr std::string_view labelled = "mask";
  Assigned target;
  Operand value;
  Operand mask;
  ScalarType type;
  DZ_FIELDS(target, value, mask, type)
};
/// target := the number of lanes of `mask` that hold, an i64.
struct CountLanes {
  static constexpr std::string_view mnemonic = "count_lanes";
  Assigned target;
  Operand mask;
  DZ_FIELDS(target, mask)
};
/// Lane l of target := lane l - `lanes` of `value`; `first` where there is no such lane.
struct ShiftLanes {
  static constexpr std::string_view mnemonic = "shift_lanes";
  static constexpr std::string_view labelled = "first";
  Assigned target;
  Operand value;
  int lanes;
  Operand first;
  ScalarType type;
  DZ_FIELDS(target, value, lanes, first, type)
};
/// target := the last lane of `value`.
struct LastLane {
  static constexpr std::string_view mnemonic = "last_lane";
  Assigned target;
  Operand value;
  ScalarType type;
  DZ_FIELDS(target, value, type)
};

// ---------------------------------------------------------------- parallelism

/// Host, CPU target: `body` runs for pieces [begin, end) of [0, count) of at least `grain`
/// iterations, in any order and in parallel.  For profiles: where it stands in the source, which is
/// no part of the text form nor of equality, and how many bytes its arrays have.
struct ParallelFor {
  static constexpr std::string_view mnemonic = "parallel_for";
  static constexpr std::string_view labelled = "count, grain";
  Operand count;
  Operand grain;
  Counter begin;
  Counter end;
  Code body;
  std::optional<Operand> moved = std::nullopt;
  ir::LocationId location = {};
  DZ_FIELDS(begin, end, count, grain, moved, location, body)
};
/// Host, CPU target: target := number of pieces worth cutting `count` iterations into.
struct PieceCount {
  static constexpr std::string_view mnemonic = "piece_count";
  static constexpr std::string_view labelled = "grain";
  Assigned target;
  Operand count;
  Operand grain;
  DZ_FIELDS(target, count, grain)
};

/// Host, CPU target: target := into how many pieces to cut `count` iterations that accumulate into
/// arrays of `size` elements, each piece but the first with a copy of its own; 0 where all threads
/// had better add with atomic instructions.  `size` -1: copies cannot be.  An iteration takes
/// `cost` operations, a point of it `operations` and `additions` to elements.
struct AdditionPieces {
  static constexpr std::string_view mnemonic = "addition_pieces";
  static constexpr std::string_view labelled = "grain, cost, operations, additions, size";
  Assigned target;
  Operand count;
  Operand grain;
  Operand cost;
  Operand operations;
  Operand additions;
  Operand size;
  DZ_FIELDS(target, count, grain, cost, operations, additions, size)
};

/// Host, GPU targets: starts `body` as a kernel on grid × block threads.  `moved` and `location`
/// are as those of ParallelFor.
struct Launch {
  static constexpr std::string_view mnemonic = "launch";
  static constexpr std::string_view labelled = "grid, block_threads, shared_bytes";
  std::string kernel;       // the .entry name; launches of one name have the same body
  Operand grid;             // i64
  int block_threads;        // exact, a compile-time constant: launch bounds are emitted
  Operand shared_bytes;     // i64
  Code body;
  ir::LocationId location = {};
  std::optional<Operand> moved = std::nullopt;
  DZ_FIELDS(kernel, grid, block_threads, shared_bytes, moved, location, body)
};
/// Kernel: target := an i32 that only the hardware knows.
/// `failed`: not 0 where a thread of this or an earlier kernel has failed by now.
enum class Special { thread_index, block_index, block_size, grid_size, failed };
struct ReadSpecial {
  static constexpr std::string_view mnemonic = "read_special";
  Assigned target;
  Special which;
  DZ_FIELDS(target, which)
};
/// What the device of a context is like; the order is that of dz_property in runtime/abi.h.
enum class Property {
  multiprocessors,
  max_block_threads,
  max_shared_bytes,
  resident_threads,  // that fill the device: the measure of enough parallelism
  warp_size,
  arena_bytes        // for the arrays of kernels' threads
};
/// Host: target := a property, an i64.
struct DeviceProperty {
  static constexpr std::string_view mnemonic = "device_property";
  Assigned target;
  Property property;
  DZ_FIELDS(target, property)
};
/// Kernel: all threads of the block meet.
struct Barrier {
  static constexpr std::string_view mnemonic = "barrier";
  DZ_FIELDS()
};
enum class ShuffleMode { down, up, exclusive_or, index };
/// Kernel: exchange between the 32 threads of a warp, all of which take part.
struct Shuffle {
  static constexpr std::string_view mnemonic = "shuffle";
  Assigned target;
  Operand value;
  ScalarType type;
  ShuffleMode mode;
  Operand operand;  // i32
  DZ_FIELDS(target, value, type, mode, operand)
};
/// Makes this thread's writes visible to the device before its later ones.
struct Fence {
  static constexpr std::string_view mnemonic = "fence";
  DZ_FIELDS()
};
/// old := block[index]; block[index] := op(old, value), atomically.  Host (CPU target),
/// task or kernel.  `op` is add, smin/smax, umin/umax, bit_and/or/xor on integers or add on
/// floats; or an exchange.
enum class AtomicOp { add, smin, smax, umin, umax, bit_and, bit_or, bit_xor, exchange };
struct Atomic {
  static constexpr std::string_view mnemonic = "atomic";
  Assigned old;
  AtomicOp op;
  NameId block;
  Operand index;
  Operand value;
  ScalarType type;
  Space space = Space::global;
  DZ_FIELDS(old, op, block, index, value, type, space)
};
/// old := block[index]; if it equals `expected` (bitwise), block[index] := value, atomically.
/// Types of 1, 2, 4 and 8 bytes, floats included.
struct CompareExchange {
  static constexpr std::string_view mnemonic = "compare_exchange";
  static constexpr std::string_view labelled = "expected, value";
  Assigned old;
  NameId block;
  Operand index;
  Operand expected;
  Operand value;
  ScalarType type;
  Space space = Space::global;
  DZ_FIELDS(old, block, index, expected, value, type, space)
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
                 AllocateScratch, ScratchScope, AllocateLocal, SharedMemory, CopyElements,
                 WriteTable, Clear, ReadElement, WriteElement, LoadLanes, StoreLanes, LaneNumbers,
                 CombineLanes, CombineEach, TransposeLanes, CompressLanes, CountLanes, ShiftLanes,
                 LastLane, ParallelFor, PieceCount, AdditionPieces, Launch, ReadSpecial,
                 DeviceProperty, Barrier, Shuffle, Fence, Atomic, CompareExchange, Call, StackLimit,
                 StackLeft, Fail>;

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
