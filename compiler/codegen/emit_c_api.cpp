// The functions of the C interface: each gathers its parameters and calls one generic function of
// runtime/api.h.  A call of an entry point thus costs one call and a few stores.
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "codegen/c_api.h"
#include "codegen/emit.h"
#include "codegen/runtime_calls.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

namespace {

/// Emits the body of one function.
class WrapperEmitter {
 public:
  WrapperEmitter(PartModule& part, const CFunction& function)
      : part_(part), function_(function), builder_(part.context) {}

  void emit();

 private:
  Type* type(char code) { return type_of_code(part_.context, code); }
  Value* argument(const CArgument& argument);
  Value* list_of(const CArgument& argument);

  PartModule& part_;
  const CFunction& function_;
  llvm::IRBuilder<> builder_;
  llvm::Function* target_ = nullptr;
};

Value* WrapperEmitter::list_of(const CArgument& argument) {
  const bool sizes = argument.kind == CArgument::Kind::sizes;
  Type* item = sizes ? static_cast<Type*>(builder_.getInt64Ty()) : builder_.getPtrTy();
  const std::size_t length = std::max<std::size_t>(argument.list.size(), 1);
  Value* list = builder_.CreateAlloca(llvm::ArrayType::get(item, length));
  for (std::size_t i = 0; i < argument.list.size(); ++i) {
    Value* given = target_->getArg(static_cast<unsigned>(argument.list[i]));
    if (!sizes && !given->getType()->isPointerTy()) {
      Value* slot = builder_.CreateAlloca(given->getType());
      builder_.CreateStore(given, slot);
      given = slot;
    }
    builder_.CreateStore(given, builder_.CreateConstInBoundsGEP1_64(item, list, i));
  }
  return list;
}

Value* WrapperEmitter::argument(const CArgument& argument) {
  switch (argument.kind) {
    case CArgument::Kind::parameter:
      return target_->getArg(static_cast<unsigned>(argument.number));
    case CArgument::Kind::number:
      return builder_.getInt32(static_cast<unsigned>(argument.number));
    case CArgument::Kind::program:
      return part_.module.getGlobalVariable(program_symbol(part_.unit.options.prefix));
    case CArgument::Kind::text: return builder_.CreateGlobalStringPtr(argument.text);
    case CArgument::Kind::sizes:
    case CArgument::Kind::values: return list_of(argument);
  }
  DZ_UNREACHABLE("argument of a C function");
}

void WrapperEmitter::emit() {
  std::vector<Type*> parameters;
  for (const CParameter& parameter : function_.parameters) {
    parameters.push_back(type(parameter.type.code));
  }
  auto* own_type = llvm::FunctionType::get(type(function_.result.code), parameters, false);
  target_ = llvm::Function::Create(own_type, llvm::Function::ExternalLinkage, function_.name,
                                   part_.module);
  target_->setDoesNotThrow();
  builder_.SetInsertPoint(llvm::BasicBlock::Create(part_.context, "", target_));
  std::vector<Value*> values;
  std::vector<Type*> types;
  for (const CArgument& each : function_.arguments) {
    values.push_back(argument(each));
    types.push_back(values.back()->getType());
  }
  auto* callee_type = llvm::FunctionType::get(type(function_.result.code), types, false);
  Value* result =
      builder_.CreateCall(part_.module.getOrInsertFunction(function_.callee, callee_type), values);
  if (function_.result.code == 'v') {
    builder_.CreateRetVoid();
  } else {
    builder_.CreateRet(result);
  }
}

/// The runtime refers to the maker of the sim device weakly, which takes nothing out of a library:
/// the program does.
void refer_to_sim(PartModule& part) {
  llvm::Module& module = part.module;
  Type* pointer = llvm::PointerType::getUnqual(part.context);
  auto* maker_type = llvm::FunctionType::get(pointer, {pointer}, false);
  llvm::FunctionCallee maker = module.getOrInsertFunction("dz_make_sim_device", maker_type);
  auto* reference = new llvm::GlobalVariable(
      module, pointer, true, llvm::GlobalValue::InternalLinkage,
      llvm::cast<llvm::Constant>(maker.getCallee()), "dz.sim");
  llvm::appendToUsed(module, {reference});
}

}  // namespace

void emit_c_api(PartModule& part) {
  if (part.unit.program.target == tree::Target::sim) refer_to_sim(part);
  // The functions are the first version's, which knows the others.
  if (!part.unit.options.version.empty()) return;
  for (const CSection& section : c_api(part.unit.program, part.unit.options)) {
    for (const CFunction& function : section.functions) WrapperEmitter(part, function).emit();
  }
}

}  // namespace dagaz::codegen
