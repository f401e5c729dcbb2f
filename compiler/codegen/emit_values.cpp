// Variables, constants, and the two representations of a scalar: as a value (a boolean is an i1)
// and in memory (a boolean is a byte).
#include <bit>

#include "codegen/emit.h"
#include "codegen/runtime_calls.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

FunctionEmitter::FunctionEmitter(PartModule& part, llvm::Function* function, Side side)
    : part_(part), unit_(part.unit), function_(function), side_(side), builder_(part.context) {}

Type* FunctionEmitter::value_type(ScalarType type) const {
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

Type* FunctionEmitter::memory_type(ScalarType type) const {
  return type == ScalarType::boolean ? Type::getInt8Ty(part_.context) : value_type(type);
}

Value* FunctionEmitter::integer(std::int64_t value, unsigned bits) {
  return builder_.getIntN(bits, static_cast<std::uint64_t>(value));
}

llvm::Constant* FunctionEmitter::constant(const ir::Constant& constant) {
  const auto bits = static_cast<unsigned>(ir::bit_width(constant.type));
  const llvm::APInt pattern(bits, constant.bits);
  if (!ir::is_float(constant.type)) return llvm::ConstantInt::get(part_.context, pattern);
  Type* type = value_type(constant.type);
  return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), pattern));
}

bool FunctionEmitter::is_block(NameId name) const {
  return unit_.program.names.type(name).kind == ir::TypeKind::block;
}

llvm::AllocaInst* FunctionEmitter::stack_slot(Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

Variable& FunctionEmitter::variable(NameId name) {
  const auto known = variables_.find(name);
  if (known != variables_.end()) return known->second;
  Variable fresh;
  const bool block = is_block(name);
  fresh.type = block ? builder_.getPtrTy()
                     : value_type(unit_.program.names.type(name).element);
  if (const unsigned lanes = lanes_of(name)) {
    fresh.type = llvm::FixedVectorType::get(fresh.type, lanes);
  }
  fresh.slot = stack_slot(fresh.type, unit_.program.names.text(name));
  if (block && side_ == Side::host) {
    // owned_ is replaced by an array of the final size when the function is complete.
    fresh.reference_slot = builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), owned_,
                                                               owned_count_++, "owned");
    auto* address = llvm::cast<llvm::Instruction>(fresh.reference_slot);
    address->moveAfter(owned_);
  }
  return variables_.emplace(name, fresh).first->second;
}

void FunctionEmitter::bind(NameId name, Value* value) {
  Variable bound;
  bound.type = value->getType();
  bound.fixed = value;
  variables_[name] = bound;
}

Value* FunctionEmitter::value(NameId name) {
  const Variable& found = variable(name);
  return found.slot == nullptr ? found.fixed : builder_.CreateLoad(found.type, found.slot);
}

Value* FunctionEmitter::value(const Operand& operand) {
  return operand.is_name() ? value(operand.name()) : constant(operand.constant());
}

void FunctionEmitter::assign(NameId name, Value* value) {
  const Variable& target = variable(name);
  DZ_CHECK(target.slot != nullptr,
           "a captured variable is set: " + unit_.program.names.text(name));
  builder_.CreateStore(value, target.slot);
}

Value* FunctionEmitter::reference(NameId block) {
  return builder_.CreateLoad(builder_.getPtrTy(), variable(block).reference_slot);
}

void FunctionEmitter::assign_reference(NameId block, Value* reference) {
  const Variable& target = variable(block);
  builder_.CreateStore(reference, target.reference_slot);
  // `data` is the first member of a dz_block and never changes.
  builder_.CreateStore(builder_.CreateLoad(builder_.getPtrTy(), reference), target.slot);
}

Value* FunctionEmitter::to_memory(Value* value, ScalarType type) {
  if (type != ScalarType::boolean) return value;
  return builder_.CreateZExt(value, value->getType()->getWithNewType(builder_.getInt8Ty()));
}

Value* FunctionEmitter::from_memory(Value* value, ScalarType type) {
  if (type != ScalarType::boolean) return value;
  return builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value* FunctionEmitter::runtime_call(std::string_view name, const std::vector<Value*>& arguments) {
  return builder_.CreateCall(runtime_function(part_.module, name), arguments);
}

llvm::BasicBlock* FunctionEmitter::block(std::string_view name) {
  return llvm::BasicBlock::Create(part_.context, llvm::StringRef(name), function_);
}

}  // namespace dagaz::codegen
