// The one list of what each instruction uses and sets.
#include "imperative/walk.h"

#include <unordered_set>

#include "support/match.h"

namespace dagaz::imperative {

static void visit_memory(const Node& node, const InstructionVisitor& v) {
  if (const auto* one = as<Load>(node)) {
    v.use(one->block);
    v.use(one->index);
    v.set(one->target);
  } else if (const auto* stored = as<Store>(node)) {
    v.use(stored->block);
    v.use(stored->index);
    v.use(stored->value);
  } else if (const auto* copy = as<CopyElements>(node)) {
    v.use(copy->target);
    v.use(copy->target_index);
    v.use(copy->source);
    v.use(copy->source_index);
    v.use(copy->count);
  } else if (const auto* table = as<WriteTable>(node)) {
    v.use(table->block);
    v.use(table->index);
  } else if (const auto* cleared = as<Clear>(node)) {
    v.use(cleared->block);
    v.use(cleared->byte_offset);
    v.use(cleared->bytes);
  } else if (const auto* read = as<ReadElement>(node)) {
    v.use(read->block);
    v.use(read->index);
    v.set(read->target);
  } else if (const auto* written = as<WriteElement>(node)) {
    v.use(written->block);
    v.use(written->index);
    v.use(written->value);
  } else if (const auto* atomic = as<Atomic>(node)) {
    v.use(atomic->block);
    v.use(atomic->index);
    v.use(atomic->value);
    v.set(atomic->old);
  } else if (const auto* exchange = as<CompareExchange>(node)) {
    v.use(exchange->block);
    v.use(exchange->index);
    v.use(exchange->expected);
    v.use(exchange->value);
    v.set(exchange->old);
  }
}

static void visit_lanes(const Node& node, const InstructionVisitor& v) {
  if (const auto* load = as<LoadLanes>(node)) {
    v.use(load->block);
    v.use(load->index);
    v.use(load->stride);
    v.set(load->target);
  } else if (const auto* store = as<StoreLanes>(node)) {
    v.use(store->block);
    v.use(store->index);
    v.use(store->stride);
    v.use(store->value);
  } else if (const auto* numbers = as<LaneNumbers>(node)) {
    v.set(numbers->target);
  } else if (const auto* combined = as<CombineLanes>(node)) {
    v.use(combined->value);
    v.set(combined->target);
  } else if (const auto* each = as<CombineEach>(node)) {
    for (const Operand& value : each->values) v.use(value);
    v.set(each->target);
  } else if (const auto* turned = as<TransposeLanes>(node)) {
    for (const Operand& value : turned->values) v.use(value);
    for (const NameId target : turned->targets) v.set(target);
  }
}

static void visit_blocks(const Node& node, const InstructionVisitor& v) {
  if (const auto* allocated = as<Allocate>(node)) {
    v.use(allocated->bytes);
    v.set(allocated->block);
  } else if (const auto* shared = as<Share>(node)) {
    v.use(shared->source);
    v.use(shared->byte_offset);
    v.set(shared->target);
  } else if (const auto* released = as<Release>(node)) {
    v.use(released->block);
  } else if (const auto* scratch = as<AllocateScratch>(node)) {
    v.use(scratch->bytes);
    v.set(scratch->block);
  } else if (const auto* local = as<AllocateLocal>(node)) {
    v.set(local->block);
  } else if (const auto* memory = as<SharedMemory>(node)) {
    v.use(memory->byte_offset);
    v.set(memory->block);
  }
}

static void visit_parallel(const Node& node, const InstructionVisitor& v) {
  if (const auto* loop = as<ParallelFor>(node)) {
    v.use(loop->count);
    v.use(loop->grain);
    v.set(loop->begin);
    v.set(loop->end);
    v.nested(loop->body);
  } else if (const auto* pieces = as<PieceCount>(node)) {
    v.use(pieces->count);
    v.use(pieces->grain);
    v.set(pieces->target);
  } else if (const auto* launch = as<Launch>(node)) {
    v.use(launch->grid);
    v.use(launch->shared_bytes);
    v.nested(launch->body);
  } else if (const auto* special = as<ReadSpecial>(node)) {
    v.set(special->target);
  } else if (const auto* property = as<DeviceProperty>(node)) {
    v.set(property->target);
  } else if (const auto* shuffle = as<Shuffle>(node)) {
    v.use(shuffle->value);
    v.use(shuffle->operand);
    v.set(shuffle->target);
  }
}

static void visit_control(const Node& node, const InstructionVisitor& v) {
  if (const auto* assign = as<Assign>(node)) {
    for (const Operand& argument : assign->arguments) v.use(argument);
    v.set(assign->target);
  } else if (const auto* move = as<Move>(node)) {
    v.use(move->value);
    v.set(move->target);
  } else if (const auto* loop = as<For>(node)) {
    v.use(loop->bound);
    v.set(loop->index);
    v.nested(loop->body);
  } else if (const auto* repeat = as<While>(node)) {
    v.nested(repeat->test);
    v.use(repeat->condition);
    v.nested(repeat->body);
  } else if (const auto* branch = as<If>(node)) {
    v.use(branch->condition);
    v.nested(branch->then_code);
    v.nested(branch->else_code);
  } else if (const auto* scope = as<ScratchScope>(node)) {
    v.nested(scope->body);
  } else if (const auto* call = as<Call>(node)) {
    for (const Operand& argument : call->arguments) v.use(argument);
    for (const NameId result : call->results) v.set(result);
  } else if (const auto* fail = as<Fail>(node)) {
    for (const Operand& argument : fail->arguments) v.use(argument);
  }
}

int lanes_of(const ir::Type& type) {
  const bool has_lanes = type.kind == ir::TypeKind::value && type.rank() == 1;
  return has_lanes ? static_cast<int>(ir::integer_value(type.shape[0].constant())) : 0;
}

void visit(const Instruction& instruction, const InstructionVisitor& visitor) {
  // Each instruction is in one of the groups; Barrier and Fence have no parts.
  visit_control(instruction.node, visitor);
  visit_memory(instruction.node, visitor);
  visit_lanes(instruction.node, visitor);
  visit_blocks(instruction.node, visitor);
  visit_parallel(instruction.node, visitor);
}

std::vector<NameId> captured_variables(const Code& code) {
  std::vector<NameId> captured;
  std::unordered_set<NameId> seen;
  InstructionVisitor visitor;
  visitor.use = [&](const Operand& operand) {
    if (operand.is_name() && seen.insert(operand.name()).second) {
      captured.push_back(operand.name());
    }
  };
  visitor.set = [&](NameId name) { seen.insert(name); };
  visitor.nested = [&](const Code& inner) {
    for (const Instruction& instruction : inner) visit(instruction, visitor);
  };
  visitor.nested(code);
  return captured;
}

}  // namespace dagaz::imperative
