// Scratch memory of a thread, a stack: code moves its end by itself within the chunk in use, and
// asks the runtime only where that is too short, or does not hold a mark.
#include <llvm/IR/IRBuilder.h>

#include "abi.h"
#include "codegen/function_frame.h"

namespace dagaz::codegen {

using llvm::Value;

// Asked for where the function begins, and with it where the stack ends then.
Value* FunctionFrame::scratch_chunk() {
  if (scratch_chunk_ == nullptr) {
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(function_->getEntryBlock().getTerminator());
    scratch_chunk_ = runtime_call("dz_scratch_chunk", {});
    scratch_mark_ = scratch_mark();
  }
  return scratch_chunk_;
}

Value* FunctionFrame::scratch_member(unsigned offset) {
  return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), scratch_chunk(),
                                    {builder_.getInt64(offset)});
}

Value* FunctionFrame::scratch_mark() {
  return builder_.CreateLoad(builder_.getInt64Ty(), scratch_member(offsetof(dz_chunk, next)),
                             "mark");
}

Value* FunctionFrame::take_scratch(Value* bytes) {
  llvm::Type* const number = builder_.getInt64Ty();
  const auto constant = [&](std::int64_t value) {
    return llvm::ConstantInt::getSigned(number, value);
  };
  Value* const next = scratch_member(offsetof(dz_chunk, next));
  Value* const first = builder_.CreateLoad(number, next);
  Value* const end = builder_.CreateLoad(number, scratch_member(offsetof(dz_chunk, end)));
  Value* const left = builder_.CreateSub(end, first);
  Value* const whole =
      builder_.CreateAnd(builder_.CreateAdd(bytes, constant(DZ_SCRATCH_ALIGNMENT - 1)),
                         constant(-DZ_SCRATCH_ALIGNMENT));
  Value* const rounded =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, whole, constant(DZ_SCRATCH_ALIGNMENT));
  // What is negative, or too much to be rounded up, does not fit.
  Value* const fits = builder_.CreateAnd(builder_.CreateICmpULE(bytes, left),
                                         builder_.CreateICmpULE(rounded, left));
  llvm::BasicBlock* const here = block("scratch.here");
  llvm::BasicBlock* const elsewhere = block("scratch.elsewhere");
  llvm::BasicBlock* const after = block("scratch.done");
  builder_.CreateCondBr(fits, here, elsewhere);
  builder_.SetInsertPoint(here);
  builder_.CreateStore(builder_.CreateAdd(first, rounded), next);
  Value* const taken = builder_.CreateIntToPtr(first, builder_.getPtrTy());
  builder_.CreateBr(after);
  builder_.SetInsertPoint(elsewhere);
  Value* const given = runtime_call("dz_scratch", {bytes});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  llvm::PHINode* const memory = builder_.CreatePHI(builder_.getPtrTy(), 2, "scratch");
  memory->addIncoming(taken, here);
  memory->addIncoming(given, elsewhere);
  return memory;
}

void FunctionFrame::reset_scratch(Value* mark) {
  llvm::Type* const number = builder_.getInt64Ty();
  Value* const begin = builder_.CreateLoad(number, scratch_member(offsetof(dz_chunk, begin)));
  Value* const end = builder_.CreateLoad(number, scratch_member(offsetof(dz_chunk, end)));
  Value* const is_here =
      builder_.CreateICmpULE(builder_.CreateSub(mark, begin), builder_.CreateSub(end, begin));
  llvm::BasicBlock* const here = block("scratch.here");
  llvm::BasicBlock* const elsewhere = block("scratch.elsewhere");
  llvm::BasicBlock* const after = block("scratch.done");
  builder_.CreateCondBr(is_here, here, elsewhere);
  builder_.SetInsertPoint(here);
  builder_.CreateStore(mark, scratch_member(offsetof(dz_chunk, next)));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(elsewhere);
  runtime_call("dz_scratch_reset", {mark});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

}  // namespace dagaz::codegen
