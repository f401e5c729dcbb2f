// The imperative tree: what the machine is told to do, before LLVM.  Loops, loads and stores,
// parallel loops on the CPU, kernel launches on a GPU; memory is explicit, arrays are gone.
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

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/program.h"

namespace dagaz::imperative {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

struct Instruction;
using Code = std::vector<Instruction>;

enum class Target { cpu, cuda, sim };

/// Which memory a block is in, as seen by a kernel.
enum class Space { global, shared, local };

/// target := op(arguments).  `reassociate` allows LLVM to reorder a chain of it (the operator of a
/// reduction or scan, which the language says is associative).
struct Assign {
  NameId target;
  ScalarOp op;
  ScalarType type;
  ScalarType result;
  std::vector<Operand> arguments;
  bool reassociate = false;
};
struct Move { NameId target; Operand value; };

/// target := block[index], counted in elements.  `invariant`: nobody writes the block while the
/// surrounding parallel loop or kernel runs (ld.global.nc, hoisting).
struct Load {
  NameId target;
  NameId block;
  Operand index;
  ScalarType type;
  Space space = Space::global;
  bool invariant = false;
};
struct Store {
  NameId block;
  Operand index;
  Operand value;
  ScalarType type;
  Space space = Space::global;
};

/// What may be assumed of a loop.
struct LoopHints {
  bool independent = false;  // iterations touch different memory: vectorise freely
  bool unroll = false;
  bool vectorise = false;    // even where it does not look worthwhile
};
/// for index in 0 … bound-1
struct For {
  NameId index;
  Operand bound;
  Code body;
  LoopHints hints;
};
/// Runs `test`, then `body` and again while `condition` (set by `test`) holds.  `rolled`: unrolling
/// it would only make code long.
struct While {
  Code test;
  NameId condition;
  Code body;
  bool rolled = false;
};
struct If {
  Operand condition;
  Code then_code;
  Code else_code;
};

// ---------------------------------------------------------------- memory

/// Host: a new block with one reference.  Fails with out-of-memory.
struct Allocate { NameId block; Operand bytes; };
/// Host: target := source, sharing the block (one more reference).  Task or kernel: target := the
/// same address, or one `byte_offset` further.
struct Share {
  NameId target;
  NameId source;
  Operand byte_offset = ir::i64_operand(0);
};
/// Host: gives up a reference; the variable is dead afterwards.
struct Release { NameId block; };
/// Task: memory from the task's scratch stack, given back when the task ends or at the matching
/// ScratchScope's end.
struct AllocateScratch { NameId block; Operand bytes; };
/// Scratch memory allocated in `body` is given back after it.
struct ScratchScope { Code body; };
/// Task or kernel: a fixed number of bytes on the thread's own stack (for one in a loop the
/// same bytes in each iteration).
struct AllocateLocal { NameId block; std::int64_t bytes; };
/// Kernel: part of the block's shared memory, from `byte_offset` of the launch's shared bytes.
struct SharedMemory { NameId block; Operand byte_offset; };
/// Host or task: copies `count` elements between blocks that do not overlap.
struct CopyElements {
  NameId target;
  Operand target_index;
  NameId source;
  Operand source_index;
  Operand count;
  ScalarType type;
};
/// Host or task: writes the elements of a table from `index` on.
struct WriteTable {
  NameId block;
  Operand index;
  std::vector<ir::Constant> values;
  ScalarType type;
};
/// Host, GPU targets: sets bytes of the device to zero.
struct Clear { NameId block; Operand byte_offset; Operand bytes; };
/// Host, GPU targets: one element from or to the device.  Reading waits for the device.
struct ReadElement { NameId target; NameId block; Operand index; ScalarType type; };
struct WriteElement { NameId block; Operand index; Operand value; ScalarType type; };

// ---------------------------------------------------------------- lanes

// A variable whose type is a rank-1 array of constant size holds a value for each of as many
// lanes, in a vector register.  Assign and Move work on all lanes; operands that are plain
// scalars count for every lane.  CPU tasks only.

/// How many lanes a variable of this type has; 0 for plain scalars and blocks.
int lanes_of(const ir::Type& type);

/// target[l] := block[index + l·stride]; or block[index[l]] where `index` has lanes.
struct LoadLanes {
  NameId target;
  NameId block;
  Operand index;
  Operand stride;
  ScalarType type;
};
/// The other way round.  Of lanes that write to one place the last wins.
struct StoreLanes {
  NameId block;
  Operand index;
  Operand stride;
  Operand value;
  ScalarType type;
};
/// target := 0, 1, 2, … as i64.
struct LaneNumbers { NameId target; };
/// target := op over the lanes of `value`, in any order.
struct CombineLanes {
  NameId target;
  ScalarOp op;
  ScalarType type;
  Operand value;
};
/// Lane k of target := op over the lanes of values[k], in any order; as many values as lanes.
struct CombineEach {
  NameId target;
  ScalarOp op;
  ScalarType type;
  std::vector<Operand> values;
};
/// targets[k] := lane k of each of `values`, as many as there are lanes.
struct TransposeLanes {
  std::vector<NameId> targets;
  std::vector<Operand> values;
};

// ---------------------------------------------------------------- parallelism

/// Host, CPU target: `body` runs for pieces [begin, end) of [0, count) of at least `grain`
/// iterations, in any order and in parallel.
struct ParallelFor {
  Operand count;
  Operand grain;
  NameId begin;
  NameId end;
  Code body;
};
/// Host, CPU target: target := number of pieces worth cutting `count` iterations into.
struct PieceCount { NameId target; Operand count; Operand grain; };

/// Host, GPU targets: starts `body` as a kernel on grid × block threads.
struct Launch {
  std::string kernel;       // the .entry name; launches of one name have the same body
  Operand grid;             // i64
  int block_threads;        // exact, a compile-time constant: launch bounds are emitted
  Operand shared_bytes;     // i64
  Code body;
  ir::LocationId location;
};
/// Kernel: target := an i32 (i64 for `resident_threads`) that only the hardware knows.
enum class Special { thread_index, block_index, block_size, grid_size };
struct ReadSpecial { NameId target; Special which; };
/// Host: target := dz_property (see runtime/abi.h).
struct DeviceProperty { NameId target; int property; };
/// Kernel: all threads of the block meet.
struct Barrier {};
enum class ShuffleMode { down, up, exclusive_or, index };
/// Kernel: exchange between the 32 threads of a warp, all of which take part.
struct Shuffle {
  NameId target;
  Operand value;
  ScalarType type;
  ShuffleMode mode;
  Operand operand;  // i32
};
/// Makes this thread's writes visible to the device before its later ones.
struct Fence {};
/// old := block[index]; block[index] := op(old, value), atomically.  Host (CPU target),
/// task or kernel.  `op` is add, smin/smax, umin/umax, bit_and/or/xor on integers or add on
/// floats; or an exchange.
enum class AtomicOp { add, smin, smax, umin, umax, bit_and, bit_or, bit_xor, exchange };
struct Atomic {
  NameId old;
  AtomicOp op;
  NameId block;
  Operand index;
  Operand value;
  ScalarType type;
  Space space = Space::global;
};
/// old := block[index]; if it equals `expected` (bitwise), block[index] := value, atomically.
/// Types of 1, 2, 4 and 8 bytes, floats included.
struct CompareExchange {
  NameId old;
  NameId block;
  Operand index;
  Operand expected;
  Operand value;
  ScalarType type;
  Space space = Space::global;
};

// ---------------------------------------------------------------- calls and errors

/// Calls a host function (from host code) or a device function (from tasks and kernels).
/// Failures of the callee propagate.
struct Call {
  std::string function;
  std::vector<Operand> arguments;
  std::vector<NameId> results;
};
/// Ends the entry point with failure number `failure` of Program::failures; `arguments` are i64.
/// In a task the error is recorded and the loop ends; in a kernel the thread sets the failure
/// word, if it is the first, and ends.
struct Fail {
  int failure;
  std::vector<Operand> arguments;
};

using Node =
    std::variant<Assign, Move, Load, Store, For, While, If, Allocate, Share, Release,
                 AllocateScratch, ScratchScope, AllocateLocal, SharedMemory, CopyElements,
                 WriteTable, Clear, ReadElement, WriteElement, LoadLanes, StoreLanes,
                 LaneNumbers, CombineLanes, CombineEach, TransposeLanes, ParallelFor, PieceCount,
                 Launch, ReadSpecial, DeviceProperty, Barrier, Shuffle, Fence, Atomic,
                 CompareExchange, Call, Fail>;

struct Instruction {
  Node node;
};

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

/// Whether an operand is the i64 constant `value`.
bool is_constant(const Operand& operand, std::int64_t value);

/// The tree as text, for `dagaz inspect --stage=imperative`.
std::string print(const Program& program);

/// `code` as text with variables numbered in order of appearance: code of the same form does the
/// same with the variables it captures, in order.
std::string form_of(const Code& code, const ir::Names& names);
/// The same for a loop's body, whatever the loop's count and grain.
std::string form_of(const ParallelFor& loop, const ir::Names& names);

/// Variables used in `code` but declared outside it, in order of first use.
std::vector<NameId> captured_variables(const Code& code);

}  // namespace dagaz::imperative
