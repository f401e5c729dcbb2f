// The elements of blocks that instructions read and write: where they lie, and what LLVM, or sim,
// is told of each access.
#pragma once

#include <vector>

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// Flags of dz_sim_access.
constexpr int access_write = 1;
constexpr int access_shared = 2;
constexpr int access_atomic = 4;
constexpr int access_read_only = 8;

class ElementAccess {
 public:
  explicit ElementAccess(FunctionFrame& frame) : frame_(frame) {}

  llvm::Value* address(NameId block, const Operand& index, ScalarType type, Space space);
  /// Tells sim of an access by a kernel's thread.
  void simulate(llvm::Value* address, ScalarType type, Space space, int flags);
  /// Says to which loops of independent iterations the access belongs: those around it.
  void mark(llvm::Instruction* access, Space space);
  /// The store goes past the caches: its size divides its address.
  void send_past_caches(llvm::StoreInst* store);

  /// The group of what a loop of independent iterations accesses, which begins here; what is marked
  /// until `leave_loops` gets the depth from before belongs to it.
  llvm::MDNode* enter_loop();
  std::size_t depth() const { return groups_.size(); }
  void leave_loops(std::size_t depth) { groups_.resize(depth); }

 private:
  FunctionFrame& frame_;
  std::vector<llvm::MDNode*> groups_;
};

/// As an element lies in memory.
inline llvm::Align alignment(ScalarType type) {
  return llvm::Align(static_cast<std::uint64_t>(ir::byte_size(type)));
}

}  // namespace dagaz::codegen
