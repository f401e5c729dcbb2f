// Loads, stores, allocation and atomic operations.  A block variable holds the address of the
// block's data; host code keeps the counted reference beside it.
#include <algorithm>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Local.h>

#include "codegen/emit_memory.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

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

/// Neighbours in shared memory become one load if the first of them is known to be aligned.  It is
/// seen in the address as it is here, and no more in one that a loop carries.
llvm::Align alignment_in_shared(Value* address, ScalarType type, const llvm::Module& module) {
  return std::max(alignment(type), llvm::getKnownAlignment(address, module.getDataLayout()));
}

void fetch(llvm::IRBuilder<>& builder, Value* address, bool is_written) {
  const int keep = 3;  // in all caches
  const int data = 1;
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, builder.getInt32(is_written ? 1 : 0), builder.getInt32(keep),
                           builder.getInt32(data)});
}

}  // namespace

void MemoryEmitter::emit(const tree::Load& node) {
  Value* address = elements_.address(node.block, node.index, node.type, node.space);
  elements_.simulate(address, node.type, node.space,
                     (node.invariant ? access_read_only : 0) | (node.atomic ? access_atomic : 0));
  const llvm::Align aligned = frame_.in_ptx() && node.space == Space::shared
                                  ? alignment_in_shared(address, node.type, frame_.part().module)
                                  : alignment(node.type);
  llvm::LoadInst* loaded =
      builder_.CreateAlignedLoad(frame_.memory_type(node.type), address, aligned);
  if (node.invariant && frame_.side() != Side::host) {
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(frame_.part().context, {}));
  }
  if (node.atomic) loaded->setAtomic(llvm::AtomicOrdering::Monotonic);
  elements_.mark(loaded, node.space);
  frame_.assign(node.target, frame_.from_memory(loaded, node.type));
}

void MemoryEmitter::emit(const tree::Store& node) {
  Value* stored = frame_.to_memory(frame_.value(node.value), node.type);
  Value* address = elements_.address(node.block, node.index, node.type, node.space);
  elements_.simulate(address, node.type, node.space, access_write);
  elements_.mark(builder_.CreateAlignedStore(stored, address, alignment(node.type)), node.space);
  if (node.ahead && frame_.side() != Side::kernel) {
    fetch(builder_,
          builder_.CreateGEP(builder_.getInt8Ty(), address, {frame_.integer(*node.ahead)}), true);
  }
}

void MemoryEmitter::emit(const tree::Fetch& node) {
  fetch(builder_,
        builder_.CreateGEP(frame_.memory_type(node.type), frame_.value(node.block),
                           {frame_.value(node.index)}),
        false);
}

void MemoryEmitter::emit(const tree::Allocate& node) {
  Value* slot = frame_.reference_slot(node.block);
  DZ_CHECK(slot != nullptr, "memory is allocated outside host code");
  frame_.check_status(
      frame_.runtime_call("dz_allocate", {frame_.context(), frame_.value(node.bytes), slot}));
  frame_.assign_reference(node.block, frame_.reference(node.block));
}

void MemoryEmitter::emit(const tree::Share& node) {
  if (frame_.side() != Side::host) {
    frame_.assign(node.target,
                  builder_.CreateInBoundsGEP(builder_.getInt8Ty(), frame_.value(node.source),
                                             {frame_.value(node.byte_offset)}));
    return;
  }
  DZ_CHECK(node.byte_offset == ir::i64_operand(0), "host code shares a part of memory");
  Value* shared = frame_.reference(node.source);
  frame_.runtime_call("dz_retain", {shared});
  frame_.assign_reference(node.target, shared);
}

void MemoryEmitter::emit(const tree::Release& node) {
  if (frame_.side() != Side::host) return;
  frame_.runtime_call("dz_release", {frame_.reference(node.block)});
  builder_.CreateStore(llvm::ConstantPointerNull::get(builder_.getPtrTy()),
                       frame_.reference_slot(node.block));
}

void MemoryEmitter::emit(const tree::AllocateScratch& node) {
  constexpr unsigned out_of_memory = 3;  // DZ_OUT_OF_MEMORY
  Value* memory = frame_.take_scratch(frame_.value(node.bytes));
  Value* missing = builder_.CreateIsNull(memory);
  frame_.check_status(
      builder_.CreateSelect(missing, builder_.getInt32(out_of_memory), builder_.getInt32(0)));
  frame_.assign(node.block, memory);
}

void MemoryEmitter::emit(const tree::AllocateLocal& node) {
  auto* bytes = llvm::ArrayType::get(builder_.getInt8Ty(), static_cast<std::uint64_t>(node.bytes));
  llvm::AllocaInst* memory = frame_.stack_slot(bytes, frame_.unit().program.names.text(node.block));
  // Whole lines of a cache begin with one.
  memory->setAlignment(llvm::Align(node.bytes % 64 == 0 ? 64 : 16));
  frame_.assign(node.block, memory);
}

void MemoryEmitter::emit(const tree::CopyElements& node) {
  const std::int64_t size = ir::byte_size(node.type);
  Value* bytes = builder_.CreateMul(frame_.value(node.count), frame_.integer(size));
  if (frame_.side() == Side::host && frame_.unit().on_gpu()) {
    const auto offset = [&](const Operand& index) {
      return builder_.CreateMul(frame_.value(index), frame_.integer(size));
    };
    frame_.check_status(frame_.runtime_call(
        "dz_copy", {frame_.context(), frame_.reference(node.target), offset(node.target_index),
                    frame_.reference(node.source), offset(node.source_index), bytes}));
    return;
  }
  Value* target = elements_.address(node.target, node.target_index, node.type, Space::global);
  Value* source = elements_.address(node.source, node.source_index, node.type, Space::global);
  if (node.streamed) {
    copy_streaming(target, source, bytes);
    return;
  }
  builder_.CreateMemCpy(target, alignment(node.type), source, alignment(node.type), bytes);
}

// Whole lines are stored here, a vector each: strips are short, and a call for each would tell.
// Whatever else there is the runtime copies.
void MemoryEmitter::copy_streaming(Value* target, Value* source, Value* bytes) {
  constexpr std::uint64_t line = 64;
  llvm::Type* word = builder_.getInt64Ty();
  llvm::BasicBlock* entry = frame_.block("lines");
  llvm::BasicBlock* next = frame_.block("line");
  llvm::BasicBlock* others = frame_.block("others");
  llvm::BasicBlock* after = frame_.block("copied");
  Value* ends = builder_.CreateOr(builder_.CreatePtrToInt(target, word), bytes);
  const bool has_such_stores = llvm::Triple(frame_.part().module.getTargetTriple()).isX86();
  Value* whole = builder_.CreateIsNull(builder_.CreateAnd(ends, builder_.getInt64(line - 1)));
  builder_.CreateCondBr(has_such_stores ? whole : builder_.getFalse(), entry, others);
  builder_.SetInsertPoint(others);
  frame_.runtime_call("dz_copy_streaming", {target, source, bytes});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(entry);
  builder_.CreateCondBr(builder_.CreateICmpSGT(bytes, builder_.getInt64(0)), next, after);
  builder_.SetInsertPoint(next);
  llvm::PHINode* done = builder_.CreatePHI(word, 2);
  const auto behind = [&](Value* first) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), first, {done});
  };
  auto* vector = llvm::FixedVectorType::get(word, line / sizeof(std::uint64_t));
  Value* loaded = builder_.CreateAlignedLoad(vector, behind(source), llvm::Align(1));
  elements_.send_past_caches(
      builder_.CreateAlignedStore(loaded, behind(target), llvm::Align(line)));
  Value* more = builder_.CreateAdd(done, builder_.getInt64(line));
  done->addIncoming(builder_.getInt64(0), entry);
  done->addIncoming(more, next);
  builder_.CreateCondBr(builder_.CreateICmpSLT(more, bytes), next, after);
  builder_.SetInsertPoint(after);
}

void MemoryEmitter::emit(const tree::Sort& node) {
  Value* first = elements_.address(node.block, node.index, node.type, Space::global);
  Value* bytes = builder_.getInt32(static_cast<std::uint32_t>(ir::byte_size(node.type)));
  const std::uint32_t kind = ir::is_float(node.type) ? 2 : node.with_sign ? 1 : 0;
  frame_.check_status(
      frame_.runtime_call("dz_sort", {frame_.context(), first, frame_.value(node.count), bytes,
                                      builder_.getInt32(kind)}));
}

void MemoryEmitter::emit(const tree::WriteTable& node) {
  const auto size = static_cast<std::size_t>(ir::byte_size(node.type));
  std::string bytes;
  for (const ir::Constant& element : node.values) {
    for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(element.bits >> 8 * k);
  }
  llvm::Constant* values =
      llvm::ConstantDataArray::getRaw(bytes, node.values.size(), frame_.memory_type(node.type));
  auto* table = new llvm::GlobalVariable(frame_.part().module, values->getType(), true,
                                         llvm::GlobalValue::PrivateLinkage, values);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  Value* total = builder_.getInt64(bytes.size());
  if (frame_.side() == Side::host && frame_.unit().on_gpu()) {
    Value* offset = builder_.CreateMul(frame_.value(node.index), builder_.getInt64(size));
    frame_.check_status(frame_.runtime_call(
        "dz_write", {frame_.context(), frame_.reference(node.block), offset, total, table}));
    return;
  }
  Value* target = elements_.address(node.block, node.index, node.type, Space::global);
  builder_.CreateMemCpy(target, alignment(node.type), table, alignment(node.type), total);
}

void MemoryEmitter::emit(const tree::Fill& node) {
  frame_.check_status(frame_.runtime_call(
      "dz_fill",
      {frame_.context(), frame_.reference(node.block), frame_.value(node.byte_offset),
       frame_.value(node.bytes), builder_.getInt32(static_cast<std::uint32_t>(node.word)),
       builder_.getInt32(static_cast<std::uint32_t>(node.word_bytes))}));
}

void MemoryEmitter::emit(const tree::ReadElement& node) {
  if (!frame_.unit().on_gpu()) {
    emit(tree::Load{node.target, node.block, node.index, node.type, Space::global, false});
    return;
  }
  const tree::ReadElement* only = &node;
  emit_reads({&only, 1});
}

// Reads that stand side by side wait for the device once.
void MemoryEmitter::emit_reads(std::span<const tree::ReadElement* const> reads) {
  llvm::Type* i64 = builder_.getInt64Ty();
  llvm::Type* pointer = builder_.getPtrTy();
  auto* request = llvm::StructType::get(frame_.part().context, {pointer, i64, i64, pointer});
  auto* list_type = llvm::ArrayType::get(request, reads.size());
  llvm::AllocaInst* list = frame_.stack_slot(list_type, "reads");
  std::vector<llvm::AllocaInst*> slots;
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const tree::ReadElement& node = *reads[k];
    slots.push_back(frame_.stack_slot(frame_.memory_type(node.type)));
    Value* size = frame_.integer(ir::byte_size(node.type));
    Value* const members[] = {frame_.reference(node.block),
                              builder_.CreateMul(frame_.value(node.index), size), size,
                              slots.back()};
    for (unsigned m = 0; m < std::size(members); ++m) {
      Value* const place[] = {builder_.getInt32(0), builder_.getInt32(static_cast<unsigned>(k)),
                              builder_.getInt32(m)};
      builder_.CreateStore(members[m], builder_.CreateInBoundsGEP(list_type, list, place));
    }
  }
  frame_.check_status(frame_.runtime_call(
      "dz_read_several",
      {frame_.context(), builder_.getInt32(static_cast<unsigned>(reads.size())), list}));
  for (std::size_t k = 0; k < reads.size(); ++k) {
    const tree::ReadElement& node = *reads[k];
    Value* read = builder_.CreateLoad(frame_.memory_type(node.type), slots[k]);
    frame_.assign(node.target, frame_.from_memory(read, node.type));
  }
}

void MemoryEmitter::emit(const tree::WriteElement& node) {
  if (!frame_.unit().on_gpu()) {
    emit(tree::Store{node.block, node.index, node.value, node.type, Space::global});
    return;
  }
  llvm::AllocaInst* slot = frame_.stack_slot(frame_.memory_type(node.type));
  builder_.CreateStore(frame_.to_memory(frame_.value(node.value), node.type), slot);
  Value* size = frame_.integer(ir::byte_size(node.type));
  Value* offset = builder_.CreateMul(frame_.value(node.index), size);
  frame_.check_status(frame_.runtime_call(
      "dz_write", {frame_.context(), frame_.reference(node.block), offset, size, slot}));
}

void MemoryEmitter::emit(const tree::Fence&) {
  if (frame_.in_ptx()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_gl, {}, {});
  } else {
    if (frame_.side() == Side::kernel) frame_.runtime_call("dz_sim_fence", {frame_.thread()});
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  }
}

void MemoryEmitter::emit(const tree::Atomic& node) {
  Value* operand = frame_.to_memory(frame_.value(node.value), node.type);
  Value* address = elements_.address(node.block, node.index, node.type, node.space);
  elements_.simulate(address, node.type, node.space, access_write | access_atomic);
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
  frame_.assign(node.old, frame_.from_memory(old, node.type));
}

void MemoryEmitter::emit(const tree::CompareExchange& node) {
  const auto bits = [&](const Operand& operand) {
    Value* in_memory = frame_.to_memory(frame_.value(operand), node.type);
    const auto width = static_cast<unsigned>(8 * ir::byte_size(node.type));
    return builder_.CreateBitCast(in_memory, builder_.getIntNTy(width));
  };
  Value* expected = bits(node.expected);
  Value* replacement = bits(node.value);
  Value* address = elements_.address(node.block, node.index, node.type, node.space);
  elements_.simulate(address, node.type, node.space, access_write | access_atomic);
  Value* both = builder_.CreateAtomicCmpXchg(
      address, expected, replacement, alignment(node.type), llvm::AtomicOrdering::Monotonic,
      llvm::AtomicOrdering::Monotonic);
  Value* old =
      builder_.CreateBitCast(builder_.CreateExtractValue(both, 0), frame_.memory_type(node.type));
  frame_.assign(node.old, frame_.from_memory(old, node.type));
}

}  // namespace dagaz::codegen
