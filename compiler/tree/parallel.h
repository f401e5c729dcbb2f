// Instructions of parallel loops and kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/matrix_unit.h"
#include "tree/roles.h"

namespace dagaz::tree {

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
/// Host, CPU target: target := whether threads meet inside of `count` iterations of a CallForEach,
/// a bool.
struct ThreadsMeet {
  static constexpr std::string_view mnemonic = "threads_meet";
  Assigned target;
  Operand count;
  DZ_FIELDS(target, count)
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
  static constexpr std::string_view labelled = "grid, block_threads, shared_bytes, together";
  std::string kernel;       // the .entry name; launches of one name have the same body
  Operand grid;             // i64
  int block_threads;        // exact, a compile-time constant: launch bounds are emitted
  Operand shared_bytes;     // i64
  Code body;
  ir::LocationId location = {};
  std::optional<Operand> moved = std::nullopt;
  int together = 0;         // blocks whose registers a multiprocessor holds at once, at least
  DZ_FIELDS(kernel, grid, block_threads, together, shared_bytes, moved, location, body)
};
/// Kernel: target := an i32 that only the hardware knows.
/// `failed`: not 0 where a thread of this or an earlier kernel has failed by now.  What is computed
/// from a number that is read `anew` is computed after that, and waits in no register before.
enum class Special { thread_index, block_index, block_size, grid_size, failed };
struct ReadSpecial {
  static constexpr std::string_view mnemonic = "read_special";
  Assigned target;
  Special which;
  bool anew = false;
  DZ_FIELDS(target, which, anew)
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
/// Kernel: target := which of the 32 threads of a warp, all of which take part, have the same value:
/// an i32 with a bit for each.  `value` is an i32 of `bits` bits, behind zeros.
struct Match {
  static constexpr std::string_view mnemonic = "match";
  static constexpr std::string_view labelled = "bits";
  Assigned target;
  Operand value;
  int bits;
  DZ_FIELDS(target, value, bits)
};
/// Kernel: loads one, two or four 8×8 matrices of f16 from shared memory, by a warp all of whose
/// threads take part.  Row r of the m-th matrix begins at block[index] of thread 8·m + r and lies
/// there as eight neighbours, aligned to 16 bytes.  Each thread gets an i32 of every matrix:
/// elements 2·t and 2·t + 1 of row g, for lane 4·g + t; of column g where they are `transposed`.
struct LoadMatrices {
  static constexpr std::string_view mnemonic = "load_matrices";
  std::vector<Assigned> targets;
  NameId block;
  Operand index;
  bool transposed = false;
  DZ_FIELDS(targets, block, index, transposed)
};
/// Kernel: targets := sums + rows · points, matrices of which each thread of a warp has a part
/// (ir/matrix_unit.h).  All of its threads take part.  Factors are i32 with two f16 each, or f32
/// whose lower 13 bits are ignored, or f64.
struct MultiplyMatrices {
  static constexpr std::string_view mnemonic = "multiply_matrices";
  std::vector<Assigned> targets;
  ir::MatrixUnit unit = ir::MatrixUnit::f16;
  std::vector<Operand> rows;
  std::vector<Operand> points;
  std::vector<Operand> sums;
  DZ_FIELDS(targets, unit, rows, points, sums)
};
/// Kernel: begins a copy of `elements` neighbours, from global source[source_index] on, to shared
/// memory that is aligned to their bytes: 4, 8 or 16.  Only the first `present` ones, an i64, are
/// read; the others become 0.  What has been copied is there for the thread once it has awaited the
/// group of the copy, and for others after a barrier behind that; until then nobody may write the
/// source, or touch the target.
struct CopyAsync {
  static constexpr std::string_view mnemonic = "copy_async";
  static constexpr std::string_view labelled = "elements, present";
  NameId target;
  Operand target_index;
  NameId source;
  Operand source_index;
  ScalarType type;
  int elements = 1;
  Operand present;
  DZ_FIELDS(target, target_index, source, source_index, type, elements, present)
};
/// Kernel: the copies that this thread has begun since the last such instruction are a group.
struct CommitCopies {
  static constexpr std::string_view mnemonic = "commit_copies";
  DZ_FIELDS()
};
/// Kernel: waits until no more than the last `pending` groups of this thread are on their way.
struct AwaitCopies {
  static constexpr std::string_view mnemonic = "await_copies";
  static constexpr std::string_view labelled = "pending";
  int pending = 0;
  DZ_FIELDS(pending)
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

}  // namespace dagaz::tree
