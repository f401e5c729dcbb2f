// Variables, constants, and the two representations of a scalar: as a value (a boolean is an i1)
// and in memory (a boolean is a byte); the entry of a function and its exits, normal and failing.
#include "codegen/function_frame.h"

#include <algorithm>

#include <llvm/IR/MDBuilder.h>

#include "codegen/runtime_calls.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

namespace {

/// void release_owned(ptr references, i64 count): releases those that are not null.
llvm::Function* release_owned(PartModule& part) {
  constexpr const char* name = "dz.release_owned";
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  llvm::IRBuilder<> b(part.context);
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addParamAttr(0, llvm::Attribute::NoCapture);
  auto* entry = llvm::BasicBlock::Create(part.context, "", function);
  auto* loop = llvm::BasicBlock::Create(part.context, "", function);
  auto* done = llvm::BasicBlock::Create(part.context, "", function);
  b.SetInsertPoint(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  Value* slot = b.CreateGEP(b.getPtrTy(), function->getArg(0), i);
  const auto release = part.module.getOrInsertFunction("dz_release", b.getVoidTy(), b.getPtrTy());
  b.CreateCall(release, {b.CreateLoad(b.getPtrTy(), slot)});
  Value* next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpULT(next, function->getArg(1)), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

}  // namespace

FunctionFrame::FunctionFrame(PartModule& part, llvm::Function* function, Side side)
    : part_(part), unit_(part.unit), function_(function), side_(side), builder_(part.context) {}

Type* FunctionFrame::value_type(ScalarType type) const {
  switch (type) {
    case ScalarType::boolean: return Type::getInt1Ty(part_.context);
    case ScalarType::i8: return Type::getInt8Ty(part_.context);
    case ScalarType::i16: return Type::getInt16Ty(part_.context);
    case ScalarType::i32: return Type::getInt32Ty(part_.context);
    case ScalarType::i64: return Type::getInt64Ty(part_.context);
    case ScalarType::f16: return Type::getHalfTy(part_.context);
    case ScalarType::f32: return Type::getFloatTy(part_.context);
    case ScalarType::f64: return Type::getDoubleTy(part_.context);
  }
  DZ_UNREACHABLE("scalar type");
}

Type* FunctionFrame::memory_type(ScalarType type) const {
  return type == ScalarType::boolean ? Type::getInt8Ty(part_.context) : value_type(type);
}

Value* FunctionFrame::integer(std::int64_t value, unsigned bits) {
  return builder_.getIntN(bits, static_cast<std::uint64_t>(value));
}

llvm::Constant* FunctionFrame::constant(const ir::Constant& constant) {
  const auto bits = static_cast<unsigned>(ir::bit_width(constant.type));
  const llvm::APInt pattern(bits, constant.bits);
  if (!ir::is_float(constant.type)) return llvm::ConstantInt::get(part_.context, pattern);
  Type* type = value_type(constant.type);
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), pattern));
}

bool FunctionFrame::is_block(NameId name) const {
  return unit_.program.names.type(name).kind == ir::TypeKind::block;
}

llvm::AllocaInst* FunctionFrame::stack_slot(Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

FunctionFrame::Variable& FunctionFrame::variable(NameId name) {
  const auto known = variables_.find(name);
  if (known != variables_.end()) return known->second;
  Variable fresh;
  const bool block = is_block(name);
  fresh.type = block ? builder_.getPtrTy() : value_type(unit_.program.names.type(name).element);
  if (const unsigned lanes = lanes_of(name)) {
    fresh.type = llvm::FixedVectorType::get(fresh.type, lanes);
  }
  fresh.slot = stack_slot(fresh.type, unit_.program.names.text(name));
  if (block && side_ == Side::host) {
    // owned_ is replaced by an array of the final size when the function is complete.
    fresh.reference_slot =
        builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), owned_, owned_count_++, "owned");
    auto* address = llvm::cast<llvm::Instruction>(fresh.reference_slot);
    address->moveAfter(owned_);
  }
  return variables_.emplace(name, fresh).first->second;
}

// The blocks of host code are counted: each has its place in the list of what is released.
void FunctionFrame::keep_values(std::unordered_set<NameId> names) {
  kept_ = std::move(names);
  if (side_ == Side::host) std::erase_if(kept_, [&](NameId name) { return is_block(name); });
}

void FunctionFrame::bind(NameId name, Value* value) {
  Variable bound;
  bound.type = value->getType();
  bound.fixed = value;
  variables_[name] = bound;
}

void FunctionFrame::bind_counter(NameId name, Value* value) {
  bind(name, value);
  variables_[name].counts = true;
}

Value* FunctionFrame::value(NameId name) {
  const Variable& found = variable(name);
  return found.slot == nullptr ? found.fixed : builder_.CreateLoad(found.type, found.slot);
}

Value* FunctionFrame::value(const Operand& operand) {
  return operand.is_name() ? value(operand.name()) : constant(operand.constant());
}

void FunctionFrame::assign(NameId name, Value* value) {
  if (kept_.contains(name)) {
    bind(name, value);
    return;
  }
  if (const auto known = variables_.find(name); known != variables_.end() && known->second.counts) {
    variables_.erase(known);
  }
  const Variable& target = variable(name);
  DZ_CHECK(target.slot != nullptr, "a captured variable is set: " + unit_.program.names.text(name));
  builder_.CreateStore(value, target.slot);
}

Value* FunctionFrame::reference(NameId block) {
  return builder_.CreateLoad(builder_.getPtrTy(), variable(block).reference_slot);
}

void FunctionFrame::assign_reference(NameId block, Value* reference) {
  const Variable& target = variable(block);
  builder_.CreateStore(reference, target.reference_slot);
  // `data` is the first member of a dz_block and never changes.
  builder_.CreateStore(builder_.CreateLoad(builder_.getPtrTy(), reference), target.slot);
}

Value* FunctionFrame::to_memory(Value* value, ScalarType type) {
  if (type != ScalarType::boolean) return value;
  return builder_.CreateZExt(value, value->getType()->getWithNewType(builder_.getInt8Ty()));
}

Value* FunctionFrame::from_memory(Value* value, ScalarType type) {
  if (type != ScalarType::boolean) return value;
  return builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value* FunctionFrame::runtime_call(std::string_view name, const std::vector<Value*>& arguments) {
  return builder_.CreateCall(runtime_function(part_.module, name), arguments);
}

llvm::BasicBlock* FunctionFrame::block(std::string_view name) {
  return llvm::BasicBlock::Create(part_.context, llvm::StringRef(name), function_);
}

unsigned FunctionFrame::lanes_of(NameId name) const {
  return static_cast<unsigned>(tree::lanes_of(unit_.program.names.type(name)));
}

// ---------------------------------------------------------------- entry and exits

void FunctionFrame::borrow(NameId block, Value* reference) {
  Variable borrowed;
  borrowed.type = builder_.getPtrTy();
  borrowed.slot = stack_slot(borrowed.type, unit_.program.names.text(block));
  borrowed.reference_slot = stack_slot(borrowed.type, "borrowed");
  variables_[block] = borrowed;
  assign_reference(block, reference);
}

void FunctionFrame::start() {
  auto* entry = llvm::BasicBlock::Create(part_.context, "entry", function_);
  llvm::BasicBlock* body = block("body");
  builder_.SetInsertPoint(entry);
  builder_.CreateBr(body);
  error_exit_ = block("error");
  error_status_ = stack_slot(builder_.getInt32Ty(), "status");
  if (side_ == Side::host) owned_ = stack_slot(builder_.getPtrTy(), "owned");
  builder_.SetInsertPoint(body);
}

void FunctionFrame::finish(const std::vector<Value*>& results) {
  Type* type = function_->getReturnType();
  const auto leave = [&](Value* status, const std::vector<Value*>& values) {
    if (scratch_mark_ != nullptr) {
      reset_scratch(scratch_mark_);
    }
    if (type->isVoidTy()) {
      builder_.CreateRetVoid();
    } else if (type->isStructTy()) {
      Value* all = builder_.CreateInsertValue(llvm::PoisonValue::get(type), status, 0);
      for (unsigned i = 0; i < values.size(); ++i) {
        all = builder_.CreateInsertValue(all, values[i], i + 1);
      }
      builder_.CreateRet(all);
    } else {
      builder_.CreateRet(status);
    }
  };
  leave(builder_.getInt32(0), results);
  builder_.SetInsertPoint(error_exit_);
  if (owned_count_ > 0) {
    builder_.CreateCall(release_owned(part_), {owned_, builder_.getInt64(owned_count_)});
  }
  leave(builder_.CreateLoad(builder_.getInt32Ty(), error_status_), {});
  if (owned_ == nullptr) return;
  // Now that their number is known: the array of references, all null at first.
  auto* list = llvm::ArrayType::get(builder_.getPtrTy(), std::max<std::uint64_t>(owned_count_, 1));
  llvm::AllocaInst* array = stack_slot(list, "owned");
  owned_->replaceAllUsesWith(array);
  owned_->eraseFromParent();
  owned_ = array;
  builder_.SetInsertPoint(function_->getEntryBlock().getTerminator());
  builder_.CreateMemSet(array, builder_.getInt8(0), owned_count_ * sizeof(void*), llvm::Align(8));
}

void FunctionFrame::exit_with(Value* status) {
  builder_.CreateStore(status, error_status_);
  builder_.CreateBr(error_exit_);
}

void FunctionFrame::check_status(Value* status) {
  llvm::BasicBlock* next = block("");
  builder_.CreateStore(status, error_status_);
  llvm::MDBuilder metadata(part_.context);
  builder_.CreateCondBr(builder_.CreateICmpEQ(status, builder_.getInt32(0)), next, error_exit_,
                        metadata.createBranchWeights(1u << 20, 1));
  builder_.SetInsertPoint(next);
}

}  // namespace dagaz::codegen
