// Where host code starts parallel work: the body moves out into a function (a task on the CPU, a
// kernel on a GPU) that gets the variables it uses, or it is one, which threads call.
#include <algorithm>
#include <vector>

#include "codegen/emit.h"
#include "support/check.h"
#include "tree/walk.h"

namespace dagaz::codegen {

using llvm::Value;

// The address of a list of numbers of failures.
static Value* failure_list(PartModule& part, const std::vector<int>& failures) {
  const std::vector<std::uint32_t> numbers(failures.begin(), failures.end());
  llvm::Constant* list = llvm::ConstantDataArray::get(part.context, numbers);
  auto* variable = new llvm::GlobalVariable(part.module, list->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, list);
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return variable;
}

void FunctionEmitter::emit(const tree::ParallelFor& node) {
  DZ_CHECK(side_ == Side::host, "a parallel loop outside host code");
  const Task& task = unit_.division.tasks[unit_.division.task_numbers.at(&node)];
  // Those of this loop; the task's own are of the first loop of the same form.
  const std::vector<NameId> captured = captured_by(node);
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
  if (task.failures_vary) {
    values.push_back(failure_list(part_, failures_of(node)));
    members.push_back(builder_.getPtrTy());
  }
  auto* type = llvm::StructType::get(part_.context, members);
  llvm::AllocaInst* environment = stack_slot(type, "environment");
  for (unsigned i = 0; i < values.size(); ++i) {
    builder_.CreateStore(values[i], builder_.CreateStructGEP(type, environment, i));
  }

  check_status(runtime_call(
      "dz_parallel_for", {context_, value(node.count), value(node.grain), declare_task(part_, task),
                          environment, place(node.location), bytes_moved(node.moved)}));
}

// A task that calls `callee` with what it is handed, and with its own begin and end.
static llvm::Function* calling_task(PartModule& part, llvm::Function* callee,
                                    llvm::StructType* environment) {
  const std::string name = (callee->getName() + ".task").str();
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  llvm::IRBuilder<> b(part.context);
  auto* type = llvm::FunctionType::get(
      b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  auto* task = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  task->setDoesNotThrow();
  b.SetInsertPoint(llvm::BasicBlock::Create(part.context, "", task));
  std::vector<Value*> arguments = {task->getArg(0)};
  for (unsigned i = 0; i < environment->getNumElements(); ++i) {
    Value* address = b.CreateStructGEP(environment, task->getArg(1), i);
    arguments.push_back(b.CreateLoad(environment->getElementType(i), address));
  }
  arguments.push_back(task->getArg(2));
  arguments.push_back(task->getArg(3));
  b.CreateRet(b.CreateExtractValue(b.CreateCall(callee, arguments), 0));
  return task;
}

void FunctionEmitter::emit(const tree::CallForEach& node) {
  std::vector<Value*> values;
  std::vector<llvm::Type*> members;
  for (const Operand& argument : node.arguments) {
    const bool block = argument.is_name() && is_block(argument.name());
    values.push_back(block ? reference(argument.name()) : value(argument));
    members.push_back(values.back()->getType());
  }
  auto* type = llvm::StructType::get(part_.context, members);
  llvm::AllocaInst* environment = stack_slot(type, "environment");
  for (unsigned i = 0; i < values.size(); ++i) {
    builder_.CreateStore(values[i], builder_.CreateStructGEP(type, environment, i));
  }
  llvm::Function* callee = declare_function(part_, unit_.function(node.function));
  check_status(runtime_call("dz_call_for_each", {context_, value(node.count),
                                                 calling_task(part_, callee, type), environment,
                                                 place(node.location)}));
}

Value* FunctionEmitter::failure_number(int failure) {
  if (task_ == nullptr || !task_->failures_vary) {
    return builder_.getInt32(static_cast<unsigned>(failure));
  }
  const std::vector<int>& all = task_->failures;
  const auto place = std::find(all.begin(), all.end(), failure) - all.begin();
  Value* list = builder_.CreateLoad(builder_.getPtrTy(),
                                    builder_.CreateStructGEP(environment_, function_->getArg(1),
                                                             environment_->getNumElements() - 1));
  llvm::Type* number = builder_.getInt32Ty();
  return builder_.CreateLoad(
      number, builder_.CreateConstInBoundsGEP1_64(number, list, static_cast<unsigned>(place)));
}

Value* FunctionEmitter::place(ir::LocationId location) {
  return builder_.CreateGlobalString(written_at(unit_, location));
}

Value* FunctionEmitter::bytes_moved(const std::optional<Operand>& moved) {
  return moved ? value(*moved) : builder_.getInt64(0);
}

void FunctionEmitter::emit(const tree::PieceCount& node) {
  assign(node.target,
         runtime_call("dz_piece_count", {context_, value(node.count), value(node.grain)}));
}

void FunctionEmitter::emit(const tree::ThreadsMeet& node) {
  assign(node.target, builder_.CreateIsNotNull(
                          runtime_call("dz_threads_meet", {context_, value(node.count)})));
}

void FunctionEmitter::emit(const tree::AdditionPieces& node) {
  assign(node.target,
         runtime_call("dz_addition_pieces",
                      {context_, value(node.count), value(node.grain), value(node.cost),
                       value(node.operations), value(node.additions), value(node.size)}));
}

void FunctionEmitter::emit(const tree::Launch& node) {
  DZ_CHECK(side_ == Side::host && unit_.on_gpu(), "a kernel is launched outside host code");
  const std::vector<NameId> captured = tree::captured_variables(node.body);
  const std::size_t number = unit_.division.kernel_numbers.at(node.kernel);

  auto* list_type =
      llvm::ArrayType::get(builder_.getPtrTy(), std::max<std::size_t>(captured.size(), 1));
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
      "dz_launch", {context_, builder_.getInt32(static_cast<unsigned>(number)), value(node.grid),
                    builder_.getInt32(static_cast<unsigned>(node.block_threads)), shared, list,
                    place(node.location), bytes_moved(node.moved)}));
}

void FunctionEmitter::emit(const tree::DeviceProperty& node) {
  Value* property = runtime_call(
      "dz_property", {context_, builder_.getInt32(static_cast<unsigned>(node.property))});
  llvm::Type* type = value_type(unit_.program.names.type(node.target).element);
  assign(node.target, builder_.CreateZExtOrTrunc(property, type));
}

}  // namespace dagaz::codegen
