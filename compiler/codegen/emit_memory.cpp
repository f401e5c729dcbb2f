// Loads, stores, allocation and atomic operations.  A block variable holds the address of the
// block's data; host code keeps the counted reference beside it.
#include <algorithm>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Local.h>

#include "codegen/emit.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

/// Flags of dz_sim_access.
constexpr int access_write = 1;
constexpr int access_shared = 2;
constexpr int access_atomic = 4;
constexpr int access_read_only = 8;

unsigned address_space(bool ptx, Space space) {
  if (!ptx) return 0;
  switch (space) {
    case Space::global: return 1;
    case Space::shared: return 3;
    case Space::local: return 0;
  }
  DZ_UNREACHABLE("memory space");
}

llvm::AtomicRMWInst::BinOp atomic_operation(tree::AtomicOp op, bool real) {
  using Rmw = llvm::AtomicRMWInst;
  switch (op) {
    case tree::AtomicOp::add: return real ? Rmw::FAdd : Rmw::Add;
    case tree::AtomicOp::smin: return Rmw::Min;
    case tree::AtomicOp::smax: return Rmw::Max;
    case tree::AtomicOp::umin: return Rmw::UMin;
    case tree::AtomicOp::umax: return Rmw::UMax;
    case tree::AtomicOp::bit_and: return Rmw::And;
    case tree::AtomicOp::bit_or: return Rmw::Or;
    case tree::AtomicOp::bit_xor: return Rmw::Xor;
    case tree::AtomicOp::exchange: return Rmw::Xchg;
  }
  DZ_UNREACHABLE("atomic operation");
}

llvm::Align alignment(ScalarType type) {
  return llvm::Align(static_cast<std::uint64_t>(ir::byte_size(type)));
}

/// Neighbours in shared memory become one load if the first of them is known to be aligned.  It is
/// seen in the address as it is here, and no more in one that a loop carries.
llvm::Align alignment_in_shared(Value* address, ScalarType type, const llvm::Module& module) {
  return std::max(alignment(type), llvm::getKnownAlignment(address, module.getDataLayout()));
}

}  // namespace

Value* FunctionEmitter::element_address(NameId block, const Operand& index, ScalarType type,
                                        Space space) {
  Value* base = value(block);
  const unsigned wanted = address_space(in_ptx(), space);
  if (wanted != 0) base = builder_.CreateAddrSpaceCast(base, builder_.getPtrTy(wanted));
  return builder_.CreateInBoundsGEP(memory_type(type), base, {value(index)});
}

void FunctionEmitter::mark_access(llvm::Instruction* access, Space space) {
  // A thread's own memory is shared by all iterations of its loops.
  if (access_groups_.empty() || space == Space::local) return;
  llvm::MDNode* groups = access_groups_.back();
  if (access_groups_.size() > 1) {
    const std::vector<llvm::Metadata*> all(access_groups_.begin(), access_groups_.end());
    groups = llvm::MDNode::get(part_.context, all);
  }
  access->setMetadata(llvm::LLVMContext::MD_access_group, groups);
}

void FunctionEmitter::simulate_access(Value* address, ScalarType type, Space space, int flags) {
  if (side_ != Side::kernel || in_ptx() || space == Space::local) return;
  if (space == Space::shared) flags |= access_shared;
  runtime_call("dz_sim_access", {thread_, address, integer(ir::byte_size(type)),
                                 builder_.getInt32(static_cast<unsigned>(flags))});
}

void FunctionEmitter::emit(const tree::Load& node) {
  Value* address = element_address(node.block, node.index, node.type, node.space);
  simulate_access(address, node.type, node.space,
                  (node.invariant ? access_read_only : 0) | (node.atomic ? access_atomic : 0));
  const llvm::Align aligned = in_ptx() && node.space == Space::shared
                                  ? alignment_in_shared(address, node.type, part_.module)
                                  : alignment(node.type);
  llvm::LoadInst* loaded =
      builder_.CreateAlignedLoad(memory_type(node.type), address, aligned);
  if (node.invariant && side_ != Side::host) {
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(part_.context, {}));
  }
  if (node.atomic) loaded->setAtomic(llvm::AtomicOrdering::Monotonic);
  mark_access(loaded, node.space);
  assign(node.target, from_memory(loaded, node.type));
}

void FunctionEmitter::emit(const tree::Store& node) {
  Value* stored = to_memory(value(node.value), node.type);
  Value* address = element_address(node.block, node.index, node.type, node.space);
  simulate_access(address, node.type, node.space, access_write);
  mark_access(builder_.CreateAlignedStore(stored, address, alignment(node.type)), node.space);
  if (node.ahead && side_ != Side::kernel) fetch_ahead(address, *node.ahead);
}

void FunctionEmitter::fetch_ahead(Value* address, int bytes) {
  fetch(builder_.CreateGEP(builder_.getInt8Ty(), address, {integer(bytes)}), true);
}

void FunctionEmitter::fetch(Value* address, bool is_written) {
  const int keep = 3;  // in all caches
  const int data = 1;
  builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                           {address, builder_.getInt32(is_written ? 1 : 0), builder_.getInt32(keep),
                            builder_.getInt32(data)});
}

void FunctionEmitter::emit(const tree::Fetch& node) {
  fetch(builder_.CreateGEP(memory_type(node.type), value(node.block), {value(node.index)}), false);
}

void FunctionEmitter::emit(const tree::Allocate& node) {
  Value* slot = reference_slot(node.block);
  DZ_CHECK(slot != nullptr, "memory is allocated outside host code");
  check_status(runtime_call("dz_allocate", {context_, value(node.bytes), slot}));
  assign_reference(node.block, reference(node.block));
}

void FunctionEmitter::emit(const tree::Share& node) {
  if (side_ != Side::host) {
    assign(node.target, builder_.CreateInBoundsGEP(builder_.getInt8Ty(), value(node.source),
                                                   {value(node.byte_offset)}));
    return;
  }
  DZ_CHECK(node.byte_offset == ir::i64_operand(0), "host code shares a part of memory");
  Value* shared = reference(node.source);
  runtime_call("dz_retain", {shared});
  assign_reference(node.target, shared);
}

void FunctionEmitter::emit(const tree::Release& node) {
  if (side_ != Side::host) return;
  runtime_call("dz_release", {reference(node.block)});
  builder_.CreateStore(llvm::ConstantPointerNull::get(builder_.getPtrTy()),
                       reference_slot(node.block));
}

void FunctionEmitter::emit(const tree::AllocateScratch& node) {
  constexpr unsigned out_of_memory = 3;  // DZ_OUT_OF_MEMORY
  Value* memory = take_scratch(value(node.bytes));
  Value* missing = builder_.CreateIsNull(memory);
  check_status(builder_.CreateSelect(missing, builder_.getInt32(out_of_memory),
                                     builder_.getInt32(0)));
  assign(node.block, memory);
}

void FunctionEmitter::emit(const tree::ScratchScope& node) {
  Value* mark = scratch_mark();
  emit(node.body);
  reset_scratch(mark);
}

void FunctionEmitter::emit(const tree::AllocateLocal& node) {
  auto* bytes = llvm::ArrayType::get(builder_.getInt8Ty(), static_cast<std::uint64_t>(node.bytes));
  llvm::AllocaInst* memory = stack_slot(bytes, unit_.program.names.text(node.block));
  // Whole lines of a cache begin with one.
  memory->setAlignment(llvm::Align(node.bytes % 64 == 0 ? 64 : 16));
  assign(node.block, memory);
}

void FunctionEmitter::emit(const tree::CopyElements& node) {
  const std::int64_t size = ir::byte_size(node.type);
  Value* bytes = builder_.CreateMul(value(node.count), integer(size));
  if (side_ == Side::host && unit_.on_gpu()) {
    const auto offset = [&](const Operand& index) {
      return builder_.CreateMul(value(index), integer(size));
    };
    check_status(runtime_call("dz_copy", {context_, reference(node.target),
                                          offset(node.target_index), reference(node.source),
                                          offset(node.source_index), bytes}));
    return;
  }
  Value* target = element_address(node.target, node.target_index, node.type, Space::global);
  Value* source = element_address(node.source, node.source_index, node.type, Space::global);
  if (node.streamed) {
    runtime_call("dz_copy_streaming", {target, source, bytes});
    return;
  }
  builder_.CreateMemCpy(target, alignment(node.type), source, alignment(node.type), bytes);
}

void FunctionEmitter::emit(const tree::WriteTable& node) {
  const auto size = static_cast<std::size_t>(ir::byte_size(node.type));
  std::string bytes;
  for (const ir::Constant& element : node.values) {
    for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(element.bits >> 8 * k);
  }
  llvm::Constant* values = llvm::ConstantDataArray::getRaw(bytes, node.values.size(),
                                                           memory_type(node.type));
  auto* table = new llvm::GlobalVariable(part_.module, values->getType(), true,
                                         llvm::GlobalValue::PrivateLinkage, values);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  Value* total = builder_.getInt64(bytes.size());
  if (side_ == Side::host && unit_.on_gpu()) {
    Value* offset = builder_.CreateMul(value(node.index), builder_.getInt64(size));
    check_status(runtime_call("dz_write",
                              {context_, reference(node.block), offset, total, table}));
    return;
  }
  Value* target = element_address(node.block, node.index, node.type, Space::global);
  builder_.CreateMemCpy(target, alignment(node.type), table, alignment(node.type), total);
}

void FunctionEmitter::emit(const tree::Fill& node) {
  check_status(runtime_call(
      "dz_fill", {context_, reference(node.block), value(node.byte_offset), value(node.bytes),
                  builder_.getInt32(static_cast<std::uint32_t>(node.word)),
                  builder_.getInt32(static_cast<std::uint32_t>(node.word_bytes))}));
}

void FunctionEmitter::emit(const tree::ReadElement& node) {
  if (!unit_.on_gpu()) {
    emit(tree::Load{node.target, node.block, node.index, node.type, Space::global, false});
    return;
  }
  const tree::ReadElement* only = &node;
  emit_reads({&only, 1});
}

// Reads that stand side by side wait for the device once.
void FunctionEmitter::emit_reads(std::span<const tree::ReadElement* const> reads) {
  llvm::Type* i64 = builder_.getInt64Ty();
  llvm::Type* pointer = builder_.getPtrTy();
  auto* request = llvm::StructType::get(part_.context, {pointer, i64, i64, pointer});
  auto* list_type = llvm::ArrayType::get(request, reads.size());
  llvm::AllocaInst* list = stack_slot(list_type, "reads");
  std::vector<llvm::AllocaInst*> slots;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const tree::ReadElement& node = *reads[k];
    slots.push_back(stack_slot(memory_type(node.type)));
    Value* size = integer(ir::byte_size(node.type));
    Value* const members[] = {reference(node.block),
                              builder_.CreateMul(value(node.index), size), size, slots.back()};
    for (unsigned m = 0; m < std::size(members); ++m) {
      Value* const place[] = {builder_.getInt32(0), builder_.getInt32(static_cast<unsigned>(k)),
                              builder_.getInt32(m)};
      builder_.CreateStore(members[m], builder_.CreateInBoundsGEP(list_type, list, place));
    }
  }
  check_status(runtime_call("dz_read_several", {context_, builder_.getInt32(
                                static_cast<unsigned>(reads.size())), list}));
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const tree::ReadElement& node = *reads[k];
    Value* read = builder_.CreateLoad(memory_type(node.type), slots[k]);
    assign(node.target, from_memory(read, node.type));
  }
}

void FunctionEmitter::emit(const tree::WriteElement& node) {
  if (!unit_.on_gpu()) {
    emit(tree::Store{node.block, node.index, node.value, node.type, Space::global});
    return;
  }
  llvm::AllocaInst* slot = stack_slot(memory_type(node.type));
  builder_.CreateStore(to_memory(value(node.value), node.type), slot);
  Value* size = integer(ir::byte_size(node.type));
  Value* offset = builder_.CreateMul(value(node.index), size);
  check_status(runtime_call("dz_write", {context_, reference(node.block), offset, size, slot}));
}

void FunctionEmitter::emit(const tree::Fence&) {
  if (in_ptx()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_gl, {}, {});
  } else {
    if (side_ == Side::kernel) runtime_call("dz_sim_fence", {thread_});
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  }
}

void FunctionEmitter::emit(const tree::Atomic& node) {
  Value* operand = to_memory(value(node.value), node.type);
  Value* address = element_address(node.block, node.index, node.type, node.space);
  simulate_access(address, node.type, node.space, access_write | access_atomic);
  const bool adds = node.op == tree::AtomicOp::add;
  const bool real = ir::is_float(node.type);
  llvm::Type* type = operand->getType();
  if (real && !adds) {
    const auto width = static_cast<unsigned>(ir::bit_width(node.type));
    operand = builder_.CreateBitCast(operand, builder_.getIntNTy(width));
  }
  Value* old = builder_.CreateAtomicRMW(atomic_operation(node.op, real), address, operand,
                                        alignment(node.type), llvm::AtomicOrdering::Monotonic);
  if (real && !adds) old = builder_.CreateBitCast(old, type);
  assign(node.old, from_memory(old, node.type));
}

void FunctionEmitter::emit(const tree::CompareExchange& node) {
  const auto bits = [&](const Operand& operand) {
    Value* in_memory = to_memory(value(operand), node.type);
    const auto width = static_cast<unsigned>(8 * ir::byte_size(node.type));
    return builder_.CreateBitCast(in_memory, builder_.getIntNTy(width));
  };
  Value* expected = bits(node.expected);
  Value* replacement = bits(node.value);
  Value* address = element_address(node.block, node.index, node.type, node.space);
  simulate_access(address, node.type, node.space, access_write | access_atomic);
  Value* both = builder_.CreateAtomicCmpXchg(
      address, expected, replacement, alignment(node.type), llvm::AtomicOrdering::Monotonic,
      llvm::AtomicOrdering::Monotonic);
  Value* old = builder_.CreateBitCast(builder_.CreateExtractValue(both, 0),
                                      memory_type(node.type));
  assign(node.old, from_memory(old, node.type));
}

}  // namespace dagaz::codegen
