// The special members of instructions, once for all files.
#include "tree/tree.h"

#include "support/members.h"

namespace dagaz::tree {

static_assert(alternatives_list_all_members<Node>, "an instruction's DZ_FIELDS omits a member");
static_assert(lists_all_members<LoopHints>(), "a part's DZ_FIELDS omits a member");

Instruction::Instruction(Node any) : node(std::move(any)) {}
Instruction::Instruction() : node(Fence{}) {}
Instruction::Instruction(const Instruction& other) = default;
Instruction::Instruction(Instruction&& other) noexcept = default;
Instruction& Instruction::operator=(const Instruction& other) = default;
Instruction& Instruction::operator=(Instruction&& other) noexcept = default;
Instruction::~Instruction() = default;

template <typename Alternative>
  requires is_alternative_of<Alternative, Node>
Instruction::Instruction(Alternative alternative)
    : node(std::in_place_type<Alternative>, std::move(alternative)) {}

template Instruction::Instruction(Assign);
template Instruction::Instruction(Move);
template Instruction::Instruction(Load);
template Instruction::Instruction(Store);
template Instruction::Instruction(For);
template Instruction::Instruction(While);
template Instruction::Instruction(If);
template Instruction::Instruction(Allocate);
template Instruction::Instruction(Share);
template Instruction::Instruction(Release);
template Instruction::Instruction(AllocateScratch);
template Instruction::Instruction(ScratchScope);
template Instruction::Instruction(AllocateLocal);
template Instruction::Instruction(SharedMemory);
template Instruction::Instruction(CopyElements);
template Instruction::Instruction(Sort);
template Instruction::Instruction(Fetch);
template Instruction::Instruction(WriteTable);
template Instruction::Instruction(Fill);
template Instruction::Instruction(ReadElement);
template Instruction::Instruction(WriteElement);
template Instruction::Instruction(LoadLanes);
template Instruction::Instruction(StoreLanes);
template Instruction::Instruction(LaneNumbers);
template Instruction::Instruction(CombineLanes);
template Instruction::Instruction(CombineEach);
template Instruction::Instruction(TransposeLanes);
template Instruction::Instruction(CompressLanes);
template Instruction::Instruction(CountLanes);
template Instruction::Instruction(ShiftLanes);
template Instruction::Instruction(LastLane);
template Instruction::Instruction(ParallelFor);
template Instruction::Instruction(PieceCount);
template Instruction::Instruction(ThreadsMeet);
template Instruction::Instruction(AdditionPieces);
template Instruction::Instruction(Launch);
template Instruction::Instruction(ReadSpecial);
template Instruction::Instruction(DeviceProperty);
template Instruction::Instruction(Barrier);
template Instruction::Instruction(Shuffle);
template Instruction::Instruction(Match);
template Instruction::Instruction(LoadMatrices);
template Instruction::Instruction(CopyAsync);
template Instruction::Instruction(CommitCopies);
template Instruction::Instruction(AwaitCopies);
template Instruction::Instruction(MultiplyMatrices);
template Instruction::Instruction(Fence);
template Instruction::Instruction(Atomic);
template Instruction::Instruction(CompareExchange);
template Instruction::Instruction(Call);
template Instruction::Instruction(CallForEach);
template Instruction::Instruction(StackLimit);
template Instruction::Instruction(StackLeft);
template Instruction::Instruction(Fail);

int lanes_of(const ir::Type& type) {
  const bool has_lanes = type.kind == ir::TypeKind::value && type.rank() == 1 &&
                         type.shape[0].is_constant();
  return has_lanes ? static_cast<int>(ir::integer_value(type.shape[0].constant())) : 0;
}

bool is_constant(const Operand& operand, std::int64_t value) {
  return operand.is_constant() && ir::is_integer(operand.constant().type) &&
         ir::integer_value(operand.constant()) == value;
}

}  // namespace dagaz::tree

template class std::vector<dagaz::tree::Instruction>;
