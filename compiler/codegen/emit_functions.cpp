// Whole functions: their LLVM types and what they begin and end with, for host functions, device
// functions, tasks of parallel loops and kernels.
#include <set>

#include <llvm/IR/Intrinsics.h>

#include "codegen/emit.h"
#include "support/check.h"
#include "tree/kept_values.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

namespace {

const llvm::Align block_alignment(64);

Type* parameter_type(PartModule& part, NameId name) {
  const ir::Type type = part.unit.program.names.type(name);
  if (type.kind == ir::TypeKind::block) return llvm::PointerType::getUnqual(part.context);
  switch (type.element) {
    case ScalarType::f16: return Type::getHalfTy(part.context);
    case ScalarType::f32: return Type::getFloatTy(part.context);
    case ScalarType::f64: return Type::getDoubleTy(part.context);
    default: break;  // integers and booleans
  }
  return Type::getIntNTy(part.context, static_cast<unsigned>(ir::bit_width(type.element)));
}

Type* operand_type(PartModule& part, const Operand& operand) {
  if (operand.is_name()) return parameter_type(part, operand.name());
  const ScalarType type = operand.constant().type;
  switch (type) {
    case ScalarType::f16: return Type::getHalfTy(part.context);
    case ScalarType::f32: return Type::getFloatTy(part.context);
    case ScalarType::f64: return Type::getDoubleTy(part.context);
    default: break;  // integers and booleans
  }
  return Type::getIntNTy(part.context, static_cast<unsigned>(ir::bit_width(type)));
}

bool runs_in_kernels(const Unit& unit, const tree::Function& source) {
  return source.device && unit.on_gpu();
}

/// A function of the host that is emitted in one part, perhaps another.
llvm::Function* declare(PartModule& part, const std::string& name, llvm::FunctionType* type) {
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  const bool divided = part.unit.division.host.size() > 1;
  auto* function = llvm::Function::Create(type,
                                          divided ? llvm::Function::ExternalLinkage
                                                  : llvm::Function::InternalLinkage,
                                          name, part.module);
  if (divided) function->setVisibility(llvm::Function::HiddenVisibility);
  function->setDoesNotThrow();
  return function;
}

}  // namespace

std::string symbol(const Unit& unit, const std::string& name) {
  const std::string& version = unit.options.version;
  return "dz." + unit.options.prefix + (version.empty() ? "." : "." + version + ".") + name;
}

bool gives_by_memory(const Unit& unit, const tree::Function& source) {
  constexpr std::size_t most_returned = 16;
  return unit.pieces.contains(source.name) && source.results.size() > most_returned;
}

llvm::StructType* result_struct(PartModule& part, const tree::Function& source) {
  std::vector<Type*> types = {Type::getInt32Ty(part.context)};
  for (const Operand& result : source.results) types.push_back(operand_type(part, result));
  return llvm::StructType::get(part.context, types);
}

llvm::Function* declare_function(PartModule& part, const tree::Function& source) {
  const bool kernel_side = runs_in_kernels(part.unit, source);
  const std::string name = symbol(part.unit, "function." + source.name);
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  Type* pointer = llvm::PointerType::getUnqual(part.context);
  std::vector<Type*> parameters(kernel_side ? 2 : 1, pointer);
  for (const NameId parameter : source.parameters) {
    parameters.push_back(parameter_type(part, parameter));
  }
  Type* result = result_struct(part, source);
  if (gives_by_memory(part.unit, source)) {
    parameters.push_back(pointer);
    result = Type::getInt32Ty(part.context);
  }
  auto* type = llvm::FunctionType::get(result, parameters, false);
  if (!source.device) {
    llvm::Function* function = declare(part, name, type);
    if (part.unit.pieces.contains(source.name)) function->addFnAttr(llvm::Attribute::NoInline);
    return function;
  }
  part.called.push_back(&source);
  auto* copy =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  copy->setDoesNotThrow();
  return copy;
}

static constexpr std::uint64_t largest_vector_bytes = 64;

llvm::Function* declare_task(PartModule& part, const Task& task) {
  auto* i64 = Type::getInt64Ty(part.context);
  auto* pointer = llvm::PointerType::getUnqual(part.context);
  auto* type = llvm::FunctionType::get(Type::getInt32Ty(part.context),
                                       {pointer, pointer, i64, i64}, false);
  llvm::Function* function = declare(part, symbol(part.unit, "task." + task.name), type);
  function->addParamAttr(1, llvm::Attribute::NoAlias);
  function->addParamAttr(1, llvm::Attribute::ReadOnly);
  // Vectors that do not fit in registers are kept on the stack, often in innermost loops; by
  // itself LLVM leaves the stack as the caller has it, where three of four cross cache lines.
  function->addFnAttr(
      llvm::Attribute::getWithStackAlignment(part.context, llvm::Align(largest_vector_bytes)));
  return function;
}

llvm::Function* declare_kernel(PartModule& part, const Kernel& kernel) {
  Type* nothing = Type::getVoidTy(part.context);
  if (!part.ptx) {
    Type* pointer = llvm::PointerType::getUnqual(part.context);
    auto* type = llvm::FunctionType::get(nothing, {pointer, pointer}, false);
    return declare(part, symbol(part.unit, "kernel." + kernel.launch->kernel), type);
  }
  Type* global = llvm::PointerType::get(part.context, 1);
  std::vector<Type*> parameters = {global};
  for (const NameId name : kernel.captured) {
    Type* type = parameter_type(part, name);
    if (type->isIntegerTy(1)) type = Type::getInt8Ty(part.context);
    parameters.push_back(type->isPointerTy() ? global : type);
  }
  auto* function = llvm::Function::Create(llvm::FunctionType::get(nothing, parameters, false),
                                          llvm::Function::ExternalLinkage,
                                          kernel.launch->kernel, part.module);
  for (unsigned i = 1; i < parameters.size(); ++i) {
    if (!parameters[i]->isPointerTy()) continue;
    function->addParamAttr(
        i, llvm::Attribute::getWithAlignment(part.context, block_alignment));
  }
  return function;
}

void FunctionEmitter::emit_function(const tree::Function& source) {
  start();
  uses_arena_ = unit_.arena_users.contains(source.name);
  const bool kernel_side = runs_in_kernels(unit_, source);
  if (kernel_side) {
    thread_ = function_->getArg(0);
    failure_word_ = function_->getArg(1);
  } else {
    context_ = function_->getArg(0);
  }
  keep_values(tree::kept_values(source.body, source.parameters, source.results));
  unsigned next = kernel_side ? 2 : 1;
  std::set<NameId> given_away;  // references that the caller keeps, or that a result has taken
  for (const NameId parameter : source.parameters) {
    Value* argument = function_->getArg(next++);
    if (side_ == Side::host && is_block(parameter)) {
      borrow(parameter, argument);
      given_away.insert(parameter);
    } else {
      assign(parameter, argument);
    }
  }
  emit(source.body);
  std::vector<Value*> results;
  for (const Operand& result : source.results) {
    if (side_ != Side::host || !result.is_name() || !is_block(result.name())) {
      results.push_back(value(result));
      continue;
    }
    Value* owned = reference(result.name());
    if (!given_away.insert(result.name()).second) runtime_call("dz_retain", {owned});
    results.push_back(owned);
  }
  if (gives_by_memory(unit_, source)) {
    llvm::StructType* type = result_struct(part_, source);
    Value* memory = function_->getArg(next);
    for (unsigned i = 0; i < results.size(); ++i) {
      builder_.CreateStore(results[i], builder_.CreateStructGEP(type, memory, i + 1));
    }
    results.clear();
  }
  finish(results);
}

void FunctionEmitter::emit_task(const Task& task) {
  const std::vector<NameId>& captured = task.captured;
  task_ = &task;
  start();
  context_ = function_->getArg(0);
  std::vector<Type*> members;
  for (const NameId name : captured) {
    members.push_back(is_block(name)
                          ? builder_.getPtrTy()
                          : memory_type(unit_.program.names.type(name).element));
  }
  if (task.failures_vary) members.push_back(builder_.getPtrTy());
  environment_ = llvm::StructType::get(part_.context, members);
  llvm::MDNode* nothing = llvm::MDNode::get(part_.context, {});
  for (unsigned i = 0; i < captured.size(); ++i) {
    Value* address = builder_.CreateStructGEP(environment_, function_->getArg(1), i);
    llvm::LoadInst* loaded = builder_.CreateLoad(members[i], address);
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, nothing);
    const bool scalar = !is_block(captured[i]);
    bind(captured[i], scalar ? from_memory(loaded, unit_.program.names.type(captured[i]).element)
                             : loaded);
  }
  keep_values(tree::kept_values(task.loop->body));
  bind(task.loop->begin, function_->getArg(2));
  bind(task.loop->end, function_->getArg(3));
  emit(task.loop->body);
  finish({});
}

void emit_part(PartModule& part, const Part& contents) {
  const Division& division = part.unit.division;
  for (const tree::Function* function : contents.functions) {
    llvm::Function* target = declare_function(part, *function);
    FunctionEmitter(part, target, Side::host).emit_function(*function);
  }
  for (const std::size_t number : contents.tasks) {
    const Task& task = division.tasks[number];
    FunctionEmitter(part, declare_task(part, task), Side::task).emit_task(task);
  }
  for (const std::size_t number : contents.kernels) {
    const Kernel& kernel = division.kernels[number];
    FunctionEmitter(part, declare_kernel(part, kernel), Side::kernel).emit_kernel(kernel);
  }
  // Emitting one may call further ones.
  const Side side = part.unit.on_gpu() ? Side::kernel : Side::task;
  for (std::size_t i = 0; i < part.called.size(); ++i) {
    const tree::Function& function = *part.called[i];
    FunctionEmitter(part, declare_function(part, function), side).emit_function(function);
  }
}

}  // namespace dagaz::codegen
