// Kernels: the same code becomes a PTX kernel and, for sim, a function of the CPU that asks the
// runtime for what only the hardware knows.
//
// A PTX kernel's parameters are the failure word and then the captured variables; a sim kernel
// gets its thread and a list of pointers to the same values in the same order.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit.h"
#include "codegen/kernel_failure.h"
#include "ir/kernel_threads.h"
#include "support/check.h"
#include "tree/kept_values.h"
#include "tree/walk.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

constexpr std::uint64_t failure_arguments = 8;  // of a dz_failure_word

bool has_barrier(const tree::Code& code) {
  bool found = false;
  tree::for_each_instruction(code, [&](const tree::Instruction& instruction) {
    found = found || std::holds_alternative<tree::Barrier>(instruction.node);
  });
  return found;
}

/// { i32 code, i32 argument_count, [8 x i64] arguments }
llvm::StructType* failure_word_type(llvm::LLVMContext& context) {
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  auto* list = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), failure_arguments);
  return llvm::StructType::get(context, {i32, i32, list});
}

void annotate_kernel(llvm::Function* function, const tree::Launch& launch) {
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::LLVMContext& context = function->getContext();
  llvm::NamedMDNode* annotations =
      function->getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  const auto annotate = [&](const char* name, int number) {
    auto* constant = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context),
                                            static_cast<std::uint64_t>(number));
    annotations->addOperand(llvm::MDNode::get(
        context, {llvm::ValueAsMetadata::get(function), llvm::MDString::get(context, name),
                  llvm::ConstantAsMetadata::get(constant)}));
  };
  annotate("kernel", 1);
  annotate("reqntidx", launch.block_threads);
  annotate("reqntidy", 1);
  annotate("reqntidz", 1);
  if (launch.together > 0) annotate("minctasm", launch.together);
}

}  // namespace

void FunctionEmitter::bind_kernel_arguments(const Kernel& kernel) {
  const auto element = [&](NameId name) { return unit_.program.names.type(name).element; };
  if (in_ptx()) {
    thread_ = llvm::ConstantPointerNull::get(builder_.getPtrTy());
    failure_word_ = builder_.CreateAddrSpaceCast(function_->getArg(0), builder_.getPtrTy());
    for (unsigned i = 0; i < kernel.captured.size(); ++i) {
      const NameId name = kernel.captured[i];
      Value* argument = function_->getArg(i + 1);
      bind(name, is_block(name) ? builder_.CreateAddrSpaceCast(argument, builder_.getPtrTy())
                                : from_memory(argument, element(name)));
    }
    return;
  }
  thread_ = function_->getArg(0);
  const auto argument = [&](unsigned i, llvm::Type* type) {
    Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(),
                                                       function_->getArg(1), i);
    return builder_.CreateLoad(type, builder_.CreateLoad(builder_.getPtrTy(), place));
  };
  failure_word_ = argument(0, builder_.getPtrTy());
  for (unsigned i = 0; i < kernel.captured.size(); ++i) {
    const NameId name = kernel.captured[i];
    bind(name, is_block(name)
                   ? argument(i + 1, builder_.getPtrTy())
                   : from_memory(argument(i + 1, memory_type(element(name))), element(name)));
  }
}

// After a failure what is in memory means nothing.  A launch sees what the kernels before it wrote,
// so a plain load does, which the cache answers to all threads but the first.  All threads of a
// block that has barriers must agree on whether there was one, for this kernel may be the one that
// fails; the simulator lets go those that wait for threads that left.
void FunctionEmitter::leave_after_failure(const Kernel& kernel) {
  Value* word = failure_word_;
  if (in_ptx()) word = builder_.CreateAddrSpaceCast(word, builder_.getPtrTy(1));
  Value* code = builder_.CreateAlignedLoad(builder_.getInt32Ty(), word, llvm::Align(4));
  if (in_ptx() && has_barrier(kernel.launch->body)) {
    code = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0_or, {}, {code});
  }
  check_status(code);
}

void FunctionEmitter::emit_kernel(const Kernel& kernel) {
  start();
  bind_kernel_arguments(kernel);
  keep_values(tree::kept_values(kernel.launch->body));
  if (in_ptx()) annotate_kernel(function_, *kernel.launch);
  if (looks_for_failures(kernel.launch->body)) leave_after_failure(kernel);
  emit(kernel.launch->body);
  finish({});
}

void FunctionEmitter::fail_in_kernel(const tree::Fail& node) {
  DZ_CHECK(node.arguments.size() <= failure_arguments, "too many arguments of a failure");
  llvm::StructType* type = failure_word_type(part_.context);
  Value* word = failure_word_;
  if (in_ptx()) word = builder_.CreateAddrSpaceCast(word, builder_.getPtrTy(1));
  Value* code = builder_.getInt32(static_cast<unsigned>(node.failure) + 1);
  Value* swapped = builder_.CreateAtomicCmpXchg(
      word, builder_.getInt32(0), code, llvm::Align(4), llvm::AtomicOrdering::Monotonic,
      llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* first = block("first.failure");
  llvm::BasicBlock* after = block("failed");
  builder_.CreateCondBr(builder_.CreateExtractValue(swapped, 1), first, after);
  builder_.SetInsertPoint(first);
  builder_.CreateStore(builder_.getInt32(static_cast<unsigned>(node.arguments.size())),
                       builder_.CreateStructGEP(type, word, 1));
  for (unsigned i = 0; i < node.arguments.size(); ++i) {
    Value* place = builder_.CreateInBoundsGEP(
        type, word, {builder_.getInt32(0), builder_.getInt32(2), builder_.getInt32(i)});
    builder_.CreateStore(value(node.arguments[i]), place);
  }
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
  exit_with(code);
}

// Another thread may write it at any time: read anew each time.
Value* FunctionEmitter::failure_code() {
  Value* word = failure_word_;
  if (in_ptx()) word = builder_.CreateAddrSpaceCast(word, builder_.getPtrTy(1));
  return builder_.CreateAlignedLoad(builder_.getInt32Ty(), word, llvm::Align(4), true);
}

void FunctionEmitter::emit(const tree::ReadSpecial& node) {
  llvm::Type* type = value_type(unit_.program.names.type(node.target).element);
  if (node.which == tree::Special::failed) {
    assign(node.target, builder_.CreateZExtOrTrunc(failure_code(), type));
    return;
  }
  struct Row {
    llvm::Intrinsic::ID intrinsic;
    const char* runtime;
  };
  const auto row = [&]() -> Row {
    switch (node.which) {
      case tree::Special::thread_index:
        return {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, "dz_sim_thread_index"};
      case tree::Special::block_index:
        return {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, "dz_sim_block_index"};
      case tree::Special::block_size:
        return {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x, "dz_sim_block_size"};
      case tree::Special::grid_size:
        return {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x, "dz_sim_grid_size"};
      case tree::Special::failed: break;
    }
    DZ_UNREACHABLE("special register");
  }();
  if (node.anew && in_ptx() && node.which == tree::Special::thread_index) {
    auto* read = llvm::InlineAsm::get(llvm::FunctionType::get(builder_.getInt32Ty(), false),
                                      "mov.u32 $0, %tid.x;", "=r", /*hasSideEffects=*/true);
    assign(node.target, builder_.CreateZExtOrTrunc(builder_.CreateCall(read), type));
    return;
  }
  Value* number = in_ptx() ? builder_.CreateIntrinsic(row.intrinsic, {}, {})
                           : runtime_call(row.runtime, {thread_});
  assign(node.target, builder_.CreateZExtOrTrunc(number, type));
}

void FunctionEmitter::emit(const tree::Barrier&) {
  if (in_ptx()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  } else {
    runtime_call("dz_sim_barrier", {thread_});
  }
}

void FunctionEmitter::emit(const tree::SharedMemory& node) {
  Value* base = nullptr;
  if (in_ptx()) {
    constexpr const char* name = "dz_shared";
    llvm::GlobalVariable* shared = part_.module.getGlobalVariable(name);
    if (shared == nullptr) {
      auto* bytes = llvm::ArrayType::get(builder_.getInt8Ty(), 0);
      shared =
          new llvm::GlobalVariable(part_.module, bytes, false, llvm::GlobalValue::ExternalLinkage,
                                   nullptr, name, nullptr, llvm::GlobalValue::NotThreadLocal, 3);
      shared->setAlignment(llvm::Align(16));
    }
    base = builder_.CreateAddrSpaceCast(shared, builder_.getPtrTy());
  } else {
    base = runtime_call("dz_sim_shared", {thread_});
  }
  assign(node.block,
         builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base, {value(node.byte_offset)}));
}

/// Exchanges 32 bits; the last operand says where a warp ends: 0 for up, else its last lane.
Value* FunctionEmitter::shuffle_word(Value* word, tree::ShuffleMode mode, Value* operand) {
  using llvm::Intrinsic::ID;
  const ID id = [&]() -> ID {
    switch (mode) {
      case tree::ShuffleMode::down: return llvm::Intrinsic::nvvm_shfl_sync_down_i32;
      case tree::ShuffleMode::up: return llvm::Intrinsic::nvvm_shfl_sync_up_i32;
      case tree::ShuffleMode::exclusive_or: return llvm::Intrinsic::nvvm_shfl_sync_bfly_i32;
      case tree::ShuffleMode::index: return llvm::Intrinsic::nvvm_shfl_sync_idx_i32;
    }
    DZ_UNREACHABLE("shuffle mode");
  }();
  const bool up = mode == tree::ShuffleMode::up;
  Value* end = builder_.getInt32(up ? 0 : ir::warp_threads - 1);
  return builder_.CreateIntrinsic(id, {}, {builder_.getInt32(~0u), word, operand, end});
}

void FunctionEmitter::emit(const tree::Shuffle& node) {
  Value* given = to_memory(value(node.value), node.type);
  Value* operand = builder_.CreateZExtOrTrunc(value(node.operand), builder_.getInt32Ty());
  const auto width = static_cast<unsigned>(8 * ir::byte_size(node.type));
  llvm::Type* integer_type = builder_.getIntNTy(width);
  Value* bits = builder_.CreateBitCast(given, integer_type);
  Value* moved = nullptr;
  if (!in_ptx()) {
    Value* wide = builder_.CreateZExt(bits, builder_.getInt64Ty());
    moved = runtime_call("dz_sim_shuffle",
                         {thread_, wide, builder_.getInt32(static_cast<unsigned>(node.mode)),
                          operand});
  } else if (width <= 32) {
    moved = shuffle_word(builder_.CreateZExt(bits, builder_.getInt32Ty()), node.mode, operand);
  } else {
    Value* low = shuffle_word(builder_.CreateTrunc(bits, builder_.getInt32Ty()), node.mode,
                              operand);
    Value* high = shuffle_word(
        builder_.CreateTrunc(builder_.CreateLShr(bits, 32), builder_.getInt32Ty()), node.mode,
        operand);
    moved = builder_.CreateOr(builder_.CreateZExt(low, builder_.getInt64Ty()),
                              builder_.CreateShl(builder_.CreateZExt(high, builder_.getInt64Ty()),
                                                 32));
  }
  Value* result = builder_.CreateBitCast(builder_.CreateTrunc(moved, integer_type),
                                         memory_type(node.type));
  assign(node.target, from_memory(result, node.type));
}

// For each bit of the value, all threads vote on it, and those that voted otherwise are left out
// (Ashkiani et al., "GPU multisplit", PPoPP 2016); match.any.sync, which gives the same, takes as
// many steps as there are values.
void FunctionEmitter::emit(const tree::Match& node) {
  Value* given = value(node.value);
  if (!in_ptx()) {
    Value* wide = builder_.CreateZExt(given, builder_.getInt64Ty());
    constexpr unsigned match_mode = 4;
    Value* same = runtime_call("dz_sim_shuffle", {thread_, wide, builder_.getInt32(match_mode),
                                                  builder_.getInt32(0)});
    assign(node.target, builder_.CreateTrunc(same, builder_.getInt32Ty()));
    return;
  }
  Value* same = builder_.getInt32(~0u);
  for (int bit = 0; bit < node.bits; ++bit) {
    Value* own = builder_.CreateIsNotNull(builder_.CreateAnd(given, 1u << bit));
    Value* votes = builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {},
                                            {builder_.getInt32(~0u), own});
    Value* agree = builder_.CreateSelect(own, votes, builder_.CreateNot(votes));
    same = builder_.CreateAnd(same, agree);
  }
  assign(node.target, same);
}

}  // namespace dagaz::codegen
