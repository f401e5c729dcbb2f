// Statements that any code may hold: assignments, loops, branches, calls, failures.
#include <algorithm>
#include <cstdint>
#include <span>

#include <llvm/IR/Intrinsics.h>

#include "codegen/checked_loops.h"
#include "codegen/emit.h"
#include "codegen/emit_ranks.h"
#include "codegen/emit_trace.h"
#include "codegen/scalar_operations.h"
#include "ir/ranks.h"
#include "ir/traces.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::codegen {

using llvm::Value;

using Reads = std::vector<const tree::ReadElement*>;

// The reads that begin a stretch of code and do not depend on each other.
static Reads leading_reads(std::span<const tree::Instruction> code) {
  Reads reads;
  for (const tree::Instruction& instruction : code) {
    const auto* read = as<tree::ReadElement>(instruction.node);
    const auto gives_index = [&](const auto* earlier) {
      return read->index == Operand(earlier->target);
    };
    if (read == nullptr || std::any_of(reads.begin(), reads.end(), gives_index)) break;
    reads.push_back(read);
  }
  return reads;
}

void FunctionEmitter::emit(const tree::Code& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Reads reads = unit_.on_gpu() ? leading_reads(std::span(code).subspan(i)) : Reads{};
    if (reads.size() > 1) {
      memory_.emit_reads(reads);
      i += reads.size() - 1;
      continue;
    }
    std::visit([&](const auto& node) { hand_on(node); }, code[i].node);
  }
}

void FunctionEmitter::emit(const tree::Assign& node) {
  std::vector<Value*> arguments;
  for (const Operand& argument : node.arguments) arguments.push_back(value(argument));
  llvm::IRBuilder<>::FastMathFlagGuard guard(builder_);
  if (node.reassociate && ir::is_float(node.type)) {
    llvm::FastMathFlags flags;
    flags.setAllowReassoc();
    builder_.setFastMathFlags(flags);
  }
  const unsigned lanes = lanes_of(node.target);
  assign(node.target,
         lanes == 0 ? scalar_operation(*this, node.op, node.type, node.result, arguments)
                    : lane_operation(*this, node.op, node.type, node.result, arguments, lanes));
}

void FunctionEmitter::emit(const tree::Move& node) {
  if (side_ == Side::host && is_block(node.target)) {
    memory_.emit(tree::Share{node.target, node.value.name()});
    return;
  }
  assign(node.target, splat(*this, value(node.value), lanes_of(node.target)));
}

void FunctionEmitter::emit(const tree::For& node) {
  Value* bound = value(node.bound);
  const auto number = [&](std::int64_t n) {
    return llvm::ConstantInt::getSigned(bound->getType(), n);
  };
  const Tunables& tunables = part_.unit.options.tunables;
  const unsigned together = side_ == Side::kernel ? 1 : iterations_together(node, tunables);
  Value* whole = number(0);
  if (together > 1) {
    Value* most = builder_.CreateSub(bound, builder_.CreateSRem(bound, number(together)));
    Value* is_long = builder_.CreateICmpSGE(bound, number(tunables.checked_iterations));
    whole = builder_.CreateSelect(is_long, most, whole, "whole");
    emit_iterations(node, number(0), whole, together);
  }
  emit_iterations(node, whole, bound, 1);
}

// What LLVM is told of a loop.  If its iterations are independent, what follows belongs to it.
static llvm::MDNode* properties_of(const tree::LoopHints& hints, ElementAccess& access,
                                   llvm::IRBuilder<>& builder) {
  llvm::LLVMContext& context = builder.getContext();
  std::vector<llvm::Metadata*> properties = {nullptr};  // the first is the node itself
  const auto property = [&](const char* name, llvm::Metadata* detail) {
    std::vector<llvm::Metadata*> parts = {llvm::MDString::get(context, name)};
    if (detail != nullptr) parts.push_back(detail);
    properties.push_back(llvm::MDNode::get(context, parts));
  };
  llvm::Metadata* const yes = llvm::ConstantAsMetadata::get(builder.getTrue());
  property("llvm.loop.mustprogress", nullptr);
  if (hints.unroll) property("llvm.loop.unroll.enable", nullptr);
  if (hints.rolled) property("llvm.loop.unroll.runtime.disable", nullptr);
  if (hints.vectorise) property("llvm.loop.vectorize.enable", yes);
  if (hints.independent) property("llvm.loop.parallel_accesses", access.enter_loop());
  if (hints.whole) {
    // Several vectors side by side would need a multiple of them.
    property("llvm.loop.interleave.count", llvm::ConstantAsMetadata::get(builder.getInt32(1)));
  }
  if (hints.masked) property("llvm.loop.vectorize.predicate.enable", yes);
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, properties);
  node->replaceOperandWith(0, node);
  return node;
}

// Iterations from `first` on, `together` of them in one of LLVM's, of which `bound` - `first` is a
// multiple.
void FunctionEmitter::emit_iterations(const tree::For& node, Value* first, Value* bound,
                                      unsigned together) {
  llvm::Type* type = bound->getType();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* body = block("for." + unit_.program.names.base(node.index));
  llvm::BasicBlock* after = block("for.done");
  builder_.CreateCondBr(builder_.CreateICmpSGT(bound, first), body, after);
  builder_.SetInsertPoint(body);
  llvm::PHINode* index = builder_.CreatePHI(type, 2, unit_.program.names.text(node.index));
  const auto after_index = [&](unsigned count) {
    return builder_.CreateAdd(index, llvm::ConstantInt::get(type, count), "", true, true);
  };
  const std::size_t depth = elements_.depth();
  llvm::MDNode* node_of_loop = properties_of(node.hints, elements_, builder_);
  for (unsigned k = 0; k < together; ++k) {
    bind_counter(node.index, k == 0 ? index : after_index(k));
    emit(node.body);
  }
  elements_.leave_loops(depth);
  Value* next = after_index(together);
  index->addIncoming(first, before);
  index->addIncoming(next, builder_.GetInsertBlock());
  llvm::BranchInst* back = builder_.CreateCondBr(builder_.CreateICmpSLT(next, bound), body, after);
  back->setMetadata(llvm::LLVMContext::MD_loop, node_of_loop);
  builder_.SetInsertPoint(after);
}

static bool stays_rolled(const tree::While& node, const Tunables& tunables) {
  const auto short_step = static_cast<std::size_t>(tunables.unrolled_step);
  return node.rolled || (node.few && node.body.size() > short_step);
}

void FunctionEmitter::emit(const tree::While& node) {
  llvm::BasicBlock* test = block("while");
  llvm::BasicBlock* body = block("while.body");
  llvm::BasicBlock* after = block("while.done");
  builder_.CreateBr(test);
  builder_.SetInsertPoint(test);
  emit(node.test);
  builder_.CreateCondBr(value(node.condition), body, after);
  builder_.SetInsertPoint(body);
  emit(node.body);
  llvm::BranchInst* back = builder_.CreateBr(test);
  if (stays_rolled(node, part_.unit.options.tunables)) {
    auto* never = llvm::MDString::get(part_.context, "llvm.loop.unroll.disable");
    llvm::MDNode* loop = llvm::MDNode::getDistinct(
        part_.context, {nullptr, llvm::MDNode::get(part_.context, {never})});
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }
  builder_.SetInsertPoint(after);
}

void FunctionEmitter::emit(const tree::If& node) {
  llvm::BasicBlock* yes = block("then");
  llvm::BasicBlock* no = node.else_code.empty() ? nullptr : block("else");
  llvm::BasicBlock* after = block("if.done");
  builder_.CreateCondBr(value(node.condition), yes, no == nullptr ? after : no);
  builder_.SetInsertPoint(yes);
  emit(node.then_code);
  builder_.CreateBr(after);
  if (no != nullptr) {
    builder_.SetInsertPoint(no);
    emit(node.else_code);
    builder_.CreateBr(after);
  }
  builder_.SetInsertPoint(after);
}

void FunctionEmitter::emit(const tree::ScratchScope& node) {
  Value* mark = scratch_mark();
  emit(node.body);
  reset_scratch(mark);
}

void FunctionEmitter::emit(const tree::Call& node) {
  if (ir::is_trace(node.function)) {
    if (side_ == Side::kernel) {
      emit_kernel_trace(*this, node, failure_word_);
    } else {
      check_status(emit_trace(*this, node, context_));
    }
    return;
  }
  if (ir::is_rank_call(node.function)) {
    DZ_CHECK(side_ == Side::host, "ranks meet in host code");
    emit_rank_call(*this, node, context_, place(node.location),
                   uses_arena_ ? Arena::may_lack : Arena::suffices);
    return;
  }
  const tree::Function& callee = unit_.function(node.function);
  std::vector<Value*> arguments;
  if (side_ == Side::kernel) {
    arguments = {thread_, failure_word_};
  } else {
    arguments = {context_};
  }
  for (const Operand& argument : node.arguments) {
    const bool counted =
        side_ == Side::host && argument.is_name() && is_block(argument.name()) && !callee.device;
    arguments.push_back(counted ? reference(argument.name()) : value(argument));
  }
  llvm::StructType* type = result_struct(part_, callee);
  llvm::AllocaInst* memory =
      gives_by_memory(unit_, callee) ? stack_slot(type, "results") : nullptr;
  if (memory != nullptr) arguments.push_back(memory);
  Value* all = builder_.CreateCall(declare_function(part_, callee), arguments);
  check_status(memory != nullptr ? all : builder_.CreateExtractValue(all, 0));
  for (unsigned i = 0; i < node.results.size(); ++i) {
    Value* result =
        memory == nullptr
            ? builder_.CreateExtractValue(all, i + 1)
            : builder_.CreateLoad(type->getElementType(i + 1),
                                  builder_.CreateStructGEP(type, memory, i + 1));
    if (side_ == Side::host && is_block(node.results[i])) {
      assign_reference(node.results[i], result);
    } else {
      assign(node.results[i], result);
    }
  }
}

void FunctionEmitter::emit(const tree::StackLimit& node) {
  if (in_ptx()) {
    assign(node.target, builder_.getInt64(0));  // a thread of a GPU cannot ask
  } else if (side_ == Side::kernel) {
    assign(node.target, runtime_call("dz_sim_stack_limit", {thread_}));
  } else {
    assign(node.target, runtime_call("dz_stack_limit", {}));
  }
}

void FunctionEmitter::emit(const tree::StackLeft& node) {
  if (in_ptx()) {
    assign(node.target, builder_.getTrue());
    return;
  }
  Value* frame = builder_.CreateIntrinsic(llvm::Intrinsic::frameaddress, {builder_.getPtrTy()},
                                          {builder_.getInt32(0)});
  Value* here = builder_.CreatePtrToInt(frame, builder_.getInt64Ty());
  assign(node.target, builder_.CreateICmpUGT(here, value(node.limit)));
}

void FunctionEmitter::emit(const tree::Fail& node) {
  if (side_ == Side::kernel) {
    fail_in_kernel(node);
  } else {
    const std::size_t count = node.arguments.size();
    llvm::AllocaInst* list =
        stack_slot(llvm::ArrayType::get(builder_.getInt64Ty(), std::max<std::size_t>(count, 1)));
    for (unsigned i = 0; i < count; ++i) {
      Value* place = builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), list, i);
      builder_.CreateStore(value(node.arguments[i]), place);
    }
    exit_with(runtime_call("dz_fail", {context_, failure_number(node.failure),
                                       builder_.getInt32(static_cast<unsigned>(count)), list}));
  }
  builder_.SetInsertPoint(block("unreached"));
}

}  // namespace dagaz::codegen
