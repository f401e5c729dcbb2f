// Copies to shared memory that a thread does not wait for: cp.async of sm_80 and newer, which
// writes zeros behind the bytes that it reads.  Those of 16 bytes go past the first cache.
//
// The source of several neighbours may lie anywhere.  Where it is aligned to all of their bytes one
// copy takes them, and otherwise one each, or one for two of two bytes; the thread itself copies
// what is not even aligned to the four bytes that the smallest copy has.
#include <algorithm>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit.h"
#include "support/check.h"
#include "support/function_ref.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

llvm::Intrinsic::ID copying(std::int64_t bytes, bool all) {
  using namespace llvm::Intrinsic;
  switch (bytes) {
    case 4: return all ? nvvm_cp_async_ca_shared_global_4 : nvvm_cp_async_ca_shared_global_4_s;
    case 8: return all ? nvvm_cp_async_ca_shared_global_8 : nvvm_cp_async_ca_shared_global_8_s;
    case 16: return all ? nvvm_cp_async_cg_shared_global_16 : nvvm_cp_async_cg_shared_global_16_s;
    default: DZ_UNREACHABLE("bytes of a copy");
  }
}

/// Emits one copy.
class Copier {
 public:
  /// `present`: how many bytes are, an i32; null: all.
  Copier(llvm::IRBuilder<>& builder, Value* target, Value* source, Value* present)
      : b_(builder), target_(target), source_(source), present_(present) {}

  void copy(std::int64_t bytes, std::int64_t each) {
    constexpr std::int64_t least_bytes = 4;
    const std::int64_t part = std::max(each, least_bytes);
    const auto in_parts = [&] {
      for (std::int64_t first = 0; first < bytes; first += part) copy_part(first, part);
    };
    const auto by_itself = [&] {
      for (std::int64_t first = 0; first < bytes; first += each) copy_element(first, each);
    };
    const auto in_parts_if_aligned = [&] {
      each < part ? either(is_aligned(part), in_parts, by_itself) : in_parts();
    };
    if (bytes == part) return in_parts_if_aligned();
    either(
        is_aligned(bytes), [&] { copy_part(0, bytes); }, in_parts_if_aligned);
  }

 private:
  Value* number(std::int64_t value) { return b_.getInt32(static_cast<std::uint32_t>(value)); }

  Value* behind(Value* address, std::int64_t bytes) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), address,
                                         static_cast<std::uint64_t>(bytes));
  }

  Value* is_aligned(std::int64_t bytes) {
    Value* low = b_.CreateTrunc(b_.CreatePtrToInt(source_, b_.getInt64Ty()), b_.getInt32Ty());
    return b_.CreateICmpEQ(b_.CreateAnd(low, number(bytes - 1)), number(0));
  }

  void either(Value* condition, FunctionRef<void()> yes, FunctionRef<void()> no) {
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(b_.getContext(), name, function);
    };
    llvm::BasicBlock* holds = block("aligned");
    llvm::BasicBlock* fails = block("unaligned");
    llvm::BasicBlock* after = block("copied");
    b_.CreateCondBr(condition, holds, fails);
    b_.SetInsertPoint(holds);
    yes();
    b_.CreateBr(after);
    b_.SetInsertPoint(fails);
    no();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  void copy_part(std::int64_t first, std::int64_t bytes) {
    std::vector<Value*> arguments = {behind(target_, first), behind(source_, first)};
    if (present_ != nullptr) {
      Value* left = b_.CreateSub(present_, number(first));
      left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, number(0));
      arguments.push_back(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, number(bytes)));
    }
    b_.CreateIntrinsic(copying(bytes, present_ == nullptr), {}, arguments);
  }

  void copy_element(std::int64_t first, std::int64_t bytes) {
    llvm::Type* type = b_.getIntNTy(static_cast<unsigned>(8 * bytes));
    const llvm::Align aligned(static_cast<std::uint64_t>(bytes));
    Value* to = behind(target_, first);
    const auto put = [&](Value* element) { b_.CreateAlignedStore(element, to, aligned); };
    const auto load = [&] { put(b_.CreateAlignedLoad(type, behind(source_, first), aligned)); };
    if (present_ == nullptr) return load();
    either(b_.CreateICmpSLT(number(first), present_), load,
           [&] { put(llvm::Constant::getNullValue(type)); });
  }

  llvm::IRBuilder<>& b_;
  Value* target_;
  Value* source_;
  Value* present_;
};

}  // namespace

void FunctionEmitter::emit(const tree::CopyAsync& node) {
  const std::int64_t each = ir::byte_size(node.type);
  const std::int64_t bytes = node.elements * each;
  Value* target = elements_.address(node.target, node.target_index, node.type, Space::shared);
  Value* source = elements_.address(node.source, node.source_index, node.type, Space::global);
  Value* present = builder_.CreateMul(value(node.present), integer(each));
  if (!in_ptx()) {
    runtime_call("dz_sim_copy", {thread_, target, source, integer(bytes), present});
    return;
  }
  const bool all = tree::is_constant(node.present, node.elements);
  Copier(builder_, target, source,
         all ? nullptr : builder_.CreateTrunc(present, builder_.getInt32Ty()))
      .copy(bytes, each);
}

void FunctionEmitter::emit(const tree::CommitCopies&) {
  if (in_ptx()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {});
  } else {
    runtime_call("dz_sim_commit", {thread_});
  }
}

void FunctionEmitter::emit(const tree::AwaitCopies& node) {
  Value* pending = integer(node.pending, 32);
  if (in_ptx()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {}, {pending});
  } else {
    runtime_call("dz_sim_await", {thread_, pending});
  }
}

}  // namespace dagaz::codegen
