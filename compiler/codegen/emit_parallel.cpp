// Where host code starts parallel work: the body moves out into a function (a task on the CPU, a
// kernel on a GPU) that gets the variables it uses.
#include <algorithm>

#include "codegen/emit.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

static llvm::Function* declare_task(llvm::Module& module, const llvm::Twine& name) {
  llvm::LLVMContext& context = module.getContext();
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context),
                                       {pointer, pointer, i64, i64}, false);
  auto* task = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  task->setDoesNotThrow();
  task->addParamAttr(1, llvm::Attribute::NoAlias);
  task->addParamAttr(1, llvm::Attribute::ReadOnly);
  return task;
}

void FunctionEmitter::emit(const imperative::ParallelFor& node) {
  DZ_CHECK(side_ == Side::host, "a parallel loop outside host code");
  std::vector<NameId> captured = imperative::captured_variables(node.body);
  std::erase_if(captured, [&](NameId name) { return name == node.begin || name == node.end; });

  std::vector<Value*> values;
  std::vector<llvm::Type*> members;
  for (const NameId name : captured) {
    Value* captured_value = value(name);
    if (!is_block(name)) {
      captured_value = to_memory(captured_value, unit_.program.names.type(name).element);
    }
    values.push_back(captured_value);
    members.push_back(captured_value->getType());
  }
  auto* type = llvm::StructType::get(unit_.context, members);
  llvm::AllocaInst* environment = stack_slot(type, "environment");
  for (unsigned i = 0; i < values.size(); ++i) {
    builder_.CreateStore(values[i], builder_.CreateStructGEP(type, environment, i));
  }

  const std::string name = (function_->getName() + ".task").str();
  llvm::Function* task = declare_task(module_, name);
  FunctionEmitter(unit_, module_, task, Side::task)
      .emit_task(node, captured, Sharing::with_other_pieces);
  Value* chosen = task;
  if (imperative::has_atomics(node.body)) {
    llvm::Function* alone = declare_task(module_, name + ".alone");
    FunctionEmitter(unit_, module_, alone, Side::task).emit_task(node, captured, Sharing::alone);
    Value* pieces =
        runtime_call("dz_loop_piece_count", {context_, value(node.count), value(node.grain)});
    chosen = builder_.CreateSelect(builder_.CreateICmpEQ(pieces, integer(1)), alone, task);
  }
  check_status(runtime_call("dz_parallel_for", {context_, value(node.count), value(node.grain),
                                                chosen, environment}));
}

void FunctionEmitter::emit(const imperative::PieceCount& node) {
  assign(node.target,
         runtime_call("dz_piece_count", {context_, value(node.count), value(node.grain)}));
}

unsigned Unit::kernel_number(const imperative::Launch& launch,
                             const std::vector<NameId>& captured) {
  const auto next = static_cast<unsigned>(kernels.size());
  const auto [found, fresh] = kernel_numbers.try_emplace(launch.kernel, next);
  if (fresh) kernels.push_back(Kernel{&launch, captured});
  return found->second;
}

void FunctionEmitter::emit(const imperative::Launch& node) {
  DZ_CHECK(side_ == Side::host && unit_.on_gpu(), "a kernel is launched outside host code");
  const std::vector<NameId> captured = imperative::captured_variables(node.body);
  const unsigned number = unit_.kernel_number(node, captured);

  auto* list_type = llvm::ArrayType::get(builder_.getPtrTy(), std::max<std::size_t>(
                                                                  captured.size(), 1));
  llvm::AllocaInst* list = stack_slot(list_type, "arguments");
  for (unsigned i = 0; i < captured.size(); ++i) {
    Value* argument = value(captured[i]);
    if (!is_block(captured[i])) {
      argument = to_memory(argument, unit_.program.names.type(captured[i]).element);
    }
    llvm::AllocaInst* slot = stack_slot(argument->getType(), "argument");
    builder_.CreateStore(argument, slot);
    builder_.CreateStore(slot, builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), list, i));
  }
  Value* shared = builder_.CreateTrunc(value(node.shared_bytes), builder_.getInt32Ty());
  check_status(runtime_call(
      "dz_launch", {context_, builder_.getInt32(number), value(node.grid),
                    builder_.getInt32(static_cast<unsigned>(node.block_threads)), shared, list}));
}

void FunctionEmitter::emit(const imperative::DeviceProperty& node) {
  Value* property = runtime_call(
      "dz_property", {context_, builder_.getInt32(static_cast<unsigned>(node.property))});
  llvm::Type* type = value_type(unit_.program.names.type(node.target).element);
  assign(node.target, builder_.CreateZExtOrTrunc(property, type));
}

}  // namespace dagaz::codegen
