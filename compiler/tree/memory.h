// Instructions on memory: blocks, their references, elements read and written by the host.
#pragma once

#include <string_view>
#include <vector>

#include "tree/roles.h"

namespace dagaz::tree {

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
/// Host or task: copies `count` elements between blocks that do not overlap; in a task it may be
/// `streamed`, past the caches.
struct CopyElements {
  static constexpr std::string_view mnemonic = "copy";
  static constexpr std::string_view labelled = "source, count";
  NameId target;
  Operand target_index;
  NameId source;
  Operand source_index;
  Operand count;
  ScalarType type;
  bool streamed = false;
  DZ_FIELDS(target, target_index, source, source_index, count, type, streamed)
};
/// Host of a CPU: brings `count` elements in ascending order, of integers `with_sign` or without, of
/// floats (-0 before +0, and NaNs behind infinity, those with a sign last).
struct Sort {
  static constexpr std::string_view mnemonic = "sort";
  static constexpr std::string_view labelled = "count";
  NameId block;
  Operand index;
  Operand count;
  ScalarType type;
  bool with_sign;
  DZ_FIELDS(block, index, count, type, with_sign)
};
/// Task: block[index] is read soon, and its line comes to the first cache; nothing where it lies
/// outside of the block.
struct Fetch {
  static constexpr std::string_view mnemonic = "fetch";
  NameId block;
  Operand index;
  ScalarType type;
  DZ_FIELDS(block, index, type)
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
/// Host, GPU targets: sets bytes of the device to zero, or to the lower `word_bytes` (1, 2 or 4) of
/// `word`, again and again.
struct Fill {
  static constexpr std::string_view mnemonic = "fill";
  static constexpr std::string_view labelled = "byte_offset, bytes, word, word_bytes";
  NameId block;
  Operand byte_offset;
  Operand bytes;
  std::int64_t word = 0;
  int word_bytes = 1;
  DZ_FIELDS(block, byte_offset, bytes, word, word_bytes)
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

}  // namespace dagaz::tree
