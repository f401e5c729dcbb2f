// The imperative tree under the names that this folder, which builds it, uses.
#pragma once

#include "tree/tree.h"

namespace dagaz::emit {

using ir::NameId;
using ir::Operand;
using ir::ScalarOp;
using ir::ScalarType;

using tree::Code;
using tree::Failure;
using tree::Function;
using tree::Instruction;
using tree::Node;
using tree::Program;
using tree::Target;

using tree::AtomicOp;
using tree::LoopHints;
using tree::Property;
using tree::ShuffleMode;
using tree::Space;
using tree::Special;

using tree::Assign;
using tree::Move;
using tree::Load;
using tree::Store;
using tree::For;
using tree::While;
using tree::If;
using tree::Allocate;
using tree::Share;
using tree::Release;
using tree::AllocateScratch;
using tree::ScratchScope;
using tree::AllocateLocal;
using tree::SharedMemory;
using tree::CopyElements;
using tree::Sort;
using tree::WriteTable;
using tree::Fetch;
using tree::Fill;
using tree::ReadElement;
using tree::WriteElement;
using tree::LoadLanes;
using tree::StoreLanes;
using tree::LaneNumbers;
using tree::CombineLanes;
using tree::CombineEach;
using tree::TransposeLanes;
using tree::CompressLanes;
using tree::CountLanes;
using tree::ShiftLanes;
using tree::LastLane;
using tree::ParallelFor;
using tree::PieceCount;
using tree::ThreadsMeet;
using tree::AdditionPieces;
using tree::Launch;
using tree::ReadSpecial;
using tree::DeviceProperty;
using tree::Barrier;
using tree::Shuffle;
using tree::Match;
using tree::LoadMatrices;
using tree::MultiplyMatrices;
using tree::CopyAsync;
using tree::CommitCopies;
using tree::AwaitCopies;
using tree::Fence;
using tree::Atomic;
using tree::CompareExchange;
using tree::Call;
using tree::CallForEach;
using tree::StackLimit;
using tree::StackLeft;
using tree::Fail;

using tree::is_constant;
using tree::lanes_of;

}  // namespace dagaz::emit
