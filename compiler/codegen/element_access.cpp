#include "codegen/element_access.h"

#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

static unsigned address_space(bool ptx, Space space) {
  if (!ptx) return 0;
  switch (space) {
    case Space::global: return 1;
    case Space::shared: return 3;
    case Space::local: return 0;
  }
  DZ_UNREACHABLE("memory space");
}

Value* ElementAccess::address(NameId block, const Operand& index, ScalarType type, Space space) {
  llvm::IRBuilder<>& builder = frame_.builder();
  Value* base = frame_.value(block);
  const unsigned wanted = address_space(frame_.in_ptx(), space);
  if (wanted != 0) base = builder.CreateAddrSpaceCast(base, builder.getPtrTy(wanted));
  return builder.CreateInBoundsGEP(frame_.memory_type(type), base, {frame_.value(index)});
}

void ElementAccess::simulate(Value* address, ScalarType type, Space space, int flags) {
  if (frame_.side() != Side::kernel || frame_.in_ptx() || space == Space::local) return;
  if (space == Space::shared) flags |= access_shared;
  frame_.runtime_call("dz_sim_access",
                      {frame_.thread(), address, frame_.integer(ir::byte_size(type)),
                       frame_.builder().getInt32(static_cast<unsigned>(flags))});
}

void ElementAccess::mark(llvm::Instruction* access, Space space) {
  // A thread's own memory is shared by all iterations of its loops.
  if (groups_.empty() || space == Space::local) return;
  llvm::MDNode* groups = groups_.back();
  if (groups_.size() > 1) {
    const std::vector<llvm::Metadata*> all(groups_.begin(), groups_.end());
    groups = llvm::MDNode::get(frame_.part().context, all);
  }
  access->setMetadata(llvm::LLVMContext::MD_access_group, groups);
}

void ElementAccess::send_past_caches(llvm::StoreInst* store) {
  auto* one = llvm::ConstantAsMetadata::get(frame_.builder().getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(frame_.part().context, {one}));
}

llvm::MDNode* ElementAccess::enter_loop() {
  groups_.push_back(llvm::MDNode::getDistinct(frame_.part().context, {}));
  return groups_.back();
}

}  // namespace dagaz::codegen
