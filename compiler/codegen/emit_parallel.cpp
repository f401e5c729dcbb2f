// Where host code starts parallel work: the body moves out into a function (a task on the CPU, a
// kernel on a GPU) that gets the variables it uses.
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
      "dz_launch", {context_, builder_.getInt32(static_cast<unsigned>(number)),
                    value(node.grid),
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
