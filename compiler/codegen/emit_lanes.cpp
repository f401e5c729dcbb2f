// Values of many lanes: vectors of LLVM, which it cuts into registers of the machine.
#include <algorithm>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/emit_lanes.h"
#include "codegen/scalar_operations.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

// ---------------------------------------------------------------- memory

bool LaneEmitter::are_consecutive(const Operand& index, const Operand& stride) const {
  return tree::is_constant(stride, 1) && !(index.is_name() && frame_.lanes_of(index.name()) > 0);
}

Value* LaneEmitter::lane_addresses(NameId block, const Operand& index, const Operand& stride,
                                   ScalarType type, unsigned lanes) {
  Value* indices = frame_.value(index);
  if (!indices->getType()->isVectorTy()) {
    Value* numbers = builder_.CreateStepVector(
        llvm::FixedVectorType::get(builder_.getInt64Ty(), lanes));
    Value* steps = builder_.CreateMul(numbers, splat(frame_, frame_.value(stride), lanes));
    indices = builder_.CreateAdd(splat(frame_, indices, lanes), steps);
  }
  return builder_.CreateInBoundsGEP(frame_.memory_type(type), frame_.value(block), {indices});
}

/// Of the first lane, which may lie outside the block where the mask leaves it out.
Value* LaneEmitter::masked_address(NameId block, const Operand& index, ScalarType type) {
  return builder_.CreateGEP(frame_.memory_type(type), frame_.value(block), {frame_.value(index)});
}

/// Null without a mask.
Value* LaneEmitter::lane_mask(const std::optional<Operand>& mask, unsigned lanes) {
  return mask ? splat(frame_, frame_.value(*mask), lanes) : nullptr;
}

void LaneEmitter::emit(const tree::LoadLanes& node) {
  const unsigned lanes = frame_.lanes_of(node.target);
  auto* type = llvm::FixedVectorType::get(frame_.memory_type(node.type), lanes);
  const llvm::Align aligned = alignment(node.type);
  Value* mask = lane_mask(node.mask, lanes);
  Value* otherwise = nullptr;
  if (mask != nullptr) {
    otherwise = node.otherwise ? frame_.to_memory(
                                     splat(frame_, frame_.value(*node.otherwise), lanes), node.type)
                               : llvm::Constant::getNullValue(type);
  }
  llvm::Instruction* loaded;
  if (are_consecutive(node.index, node.stride)) {
    if (mask != nullptr) {
      Value* address = masked_address(node.block, node.index, node.type);
      loaded = builder_.CreateMaskedLoad(type, address, aligned, mask, otherwise);
    } else {
      Value* address = elements_.address(node.block, node.index, node.type, Space::global);
      loaded = builder_.CreateAlignedLoad(type, address, aligned);
    }
  } else if (node.close) {
    frame_.assign(node.target, frame_.from_memory(load_close(node, lanes), node.type));
    return;
  } else {
    Value* addresses = lane_addresses(node.block, node.index, node.stride, node.type, lanes);
    loaded = builder_.CreateMaskedGather(type, addresses, aligned, mask, otherwise);
  }
  elements_.mark(loaded, Space::global);
  frame_.assign(node.target, frame_.from_memory(loaded, node.type));
}

// What lies between the first lane and the last, of which a shuffle takes the lanes.
Value* LaneEmitter::load_close(const tree::LoadLanes& node, unsigned lanes) {
  const auto step = static_cast<unsigned>(ir::integer_value(node.stride.constant()));
  auto* wide = llvm::FixedVectorType::get(frame_.memory_type(node.type), lanes * step);
  std::vector<llvm::Constant*> there;
  std::vector<int> taken;
  for (unsigned k = 0; k < lanes * step; ++k) {
    there.push_back(builder_.getInt1(k <= (lanes - 1) * step));
    if (k % step == 0) taken.push_back(static_cast<int>(k));
  }
  Value* address = elements_.address(node.block, node.index, node.type, Space::global);
  const llvm::Align aligned = alignment(node.type);
  llvm::Instruction* loaded = builder_.CreateMaskedLoad(
      wide, address, aligned, llvm::ConstantVector::get(there), llvm::PoisonValue::get(wide));
  elements_.mark(loaded, Space::global);
  return builder_.CreateShuffleVector(loaded, taken);
}

// Only a vector that begins where its size divides the address may go past the caches.
void LaneEmitter::store_streaming(Value* stored, Value* address, llvm::Align aligned) {
  const std::uint64_t bytes =
      frame_.part().module.getDataLayout().getTypeStoreSize(stored->getType()).getFixedValue();
  const llvm::Align whole(llvm::PowerOf2Ceil(bytes));
  Value* behind = builder_.CreateAnd(builder_.CreatePtrToInt(address, builder_.getInt64Ty()),
                                     builder_.getInt64(whole.value() - 1));
  llvm::BasicBlock* streaming = frame_.block("streaming");
  llvm::BasicBlock* usual = frame_.block("usual");
  llvm::BasicBlock* after = frame_.block("stored");
  builder_.CreateCondBr(builder_.CreateIsNull(behind), streaming, usual);
  builder_.SetInsertPoint(streaming);
  llvm::StoreInst* past = builder_.CreateAlignedStore(stored, address, whole);
  elements_.send_past_caches(past);
  elements_.mark(past, Space::global);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(usual);
  elements_.mark(builder_.CreateAlignedStore(stored, address, aligned), Space::global);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void LaneEmitter::emit(const tree::StoreLanes& node) {
  const unsigned lanes = frame_.lanes_of(node.value.name());
  Value* stored = frame_.to_memory(frame_.value(node.value), node.type);
  const llvm::Align aligned = alignment(node.type);
  Value* mask = lane_mask(node.mask, lanes);
  llvm::Instruction* store;
  if (are_consecutive(node.index, node.stride)) {
    if (mask != nullptr) {
      Value* address = masked_address(node.block, node.index, node.type);
      store = builder_.CreateMaskedStore(stored, address, aligned, mask);
    } else {
      Value* address = elements_.address(node.block, node.index, node.type, Space::global);
      if (node.streamed) {
        store_streaming(stored, address, aligned);
        return;
      }
      store = builder_.CreateAlignedStore(stored, address, aligned);
    }
  } else {
    Value* addresses = lane_addresses(node.block, node.index, node.stride, node.type, lanes);
    store = builder_.CreateMaskedScatter(stored, addresses, aligned, mask);
  }
  elements_.mark(store, Space::global);
}

void LaneEmitter::emit(const tree::LaneNumbers& node) {
  auto* type = llvm::FixedVectorType::get(builder_.getInt64Ty(), frame_.lanes_of(node.target));
  frame_.assign(node.target, builder_.CreateStepVector(type));
}

// ---------------------------------------------------------------- across lanes

void LaneEmitter::emit(const tree::CombineLanes& node) {
  Value* rest = frame_.value(node.value);
  unsigned lanes = frame_.lanes_of(node.value.name());
  // Halves onto each other: LLVM recognises the pattern and knows how each machine does it best.
  for (; lanes > 1; lanes /= 2) {
    Value* low = part_of(builder_, rest, 0, lanes / 2);
    Value* high = part_of(builder_, rest, lanes / 2, lanes / 2);
    rest = lane_operation(frame_, node.op, node.type, node.type, {low, high}, lanes / 2);
  }
  frame_.assign(node.target, builder_.CreateExtractElement(rest, std::uint64_t{0}));
}

// Two vectors become one that has a lane of the first wherever bit s of the lane's number is 0, and
// of the second elsewhere, combined with the lane across bit s: an operation, a shuffle and a
// choice for each two, where sums one by one take log₂ of the lanes operations and shuffles each.
void LaneEmitter::emit(const tree::CombineEach& node) {
  std::vector<Value*> rows;
  for (const Operand& each : node.values) rows.push_back(frame_.value(each));
  const auto count = static_cast<unsigned>(rows.size());
  for (unsigned size = 1; size < count; size *= 2) {
    std::vector<int> straight;
    std::vector<int> across;
    for (unsigned l = 0; l < count; ++l) {
      const unsigned other = l ^ size;
      straight.push_back(static_cast<int>((l & size) == 0 ? l : count + l));
      across.push_back(static_cast<int>((l & size) == 0 ? other : count + other));
    }
    std::vector<Value*> joined;
    for (std::size_t k = 0; k < rows.size(); k += 2) {
      Value* own = builder_.CreateShuffleVector(rows[k], rows[k + 1], straight);
      Value* others = builder_.CreateShuffleVector(rows[k], rows[k + 1], across);
      joined.push_back(lane_operation(frame_, node.op, node.type, node.type, {own, others}, count));
    }
    rows = std::move(joined);
  }
  frame_.assign(node.target, rows[0]);
}

// log₂ of the lanes rounds: in the round of size s, squares of s × s change places with those
// beside them on the other side of the diagonal (Eklundh, "A fast computer method for matrix
// transposing", IEEE Transactions on Computers 1972).
void LaneEmitter::emit(const tree::TransposeLanes& node) {
  std::vector<Value*> rows;
  for (const Operand& each : node.values) rows.push_back(frame_.value(each));
  const auto count = static_cast<unsigned>(rows.size());
  for (unsigned size = 1; size < count; size *= 2) {
    std::vector<int> upper;
    std::vector<int> lower;
    for (unsigned l = 0; l < count; ++l) {
      const bool is_left = (l & size) == 0;
      upper.push_back(static_cast<int>(is_left ? l : count + l - size));
      lower.push_back(static_cast<int>(is_left ? l + size : count + l));
    }
    for (unsigned k = 0; k < count; ++k) {
      if ((k & size) != 0) continue;
      Value* const first = rows[k];
      Value* const second = rows[k + size];
      rows[k] = builder_.CreateShuffleVector(first, second, upper);
      rows[k + size] = builder_.CreateShuffleVector(first, second, lower);
    }
  }
  for (unsigned k = 0; k < count; ++k) frame_.assign(node.targets[k], rows[k]);
}

// A number that LLVM does not know.
static Value* concealed(llvm::IRBuilder<>& builder, Value* number) {
  llvm::Type* type = number->getType();
  llvm::Type* bits = builder.getIntNTy(type->getScalarSizeInBits());
  llvm::InlineAsm* same =
      llvm::InlineAsm::get(llvm::FunctionType::get(bits, {bits}, false), "", "=r,0", false);
  return builder.CreateBitCast(builder.CreateCall(same, builder.CreateBitCast(number, bits)), type);
}

// Zeros of reals that it knows to be such LLVM shifts in by an instruction of AVX-512 that takes
// some processors three times as long as any other (vexpandpd on Zen 5).
void LaneEmitter::emit(const tree::ShiftLanes& node) {
  const unsigned lanes = frame_.lanes_of(node.target);
  const auto by = static_cast<unsigned>(node.lanes);
  std::vector<int> chosen;
  for (unsigned l = 0; l < lanes; ++l) {
    chosen.push_back(static_cast<int>(l < by ? l : lanes + l - by));
  }
  Value* one = frame_.value(node.first);
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(one);
  if (frame_.part().compresses && constant != nullptr && constant->isZero()) {
    one = concealed(builder_, one);
  }
  Value* first = splat(frame_, one, lanes);
  frame_.assign(node.target, builder_.CreateShuffleVector(first, frame_.value(node.value), chosen));
}

void LaneEmitter::emit(const tree::LastLane& node) {
  const unsigned lanes = frame_.lanes_of(node.value.name());
  frame_.assign(node.target,
                builder_.CreateExtractElement(frame_.value(node.value), std::uint64_t{lanes - 1}));
}

// In registers: instructions that store the lanes which stay, and no others, are slow on some
// processors.
void LaneEmitter::emit(const tree::CompressLanes& node) {
  const unsigned lanes = frame_.lanes_of(node.target);
  Value* values = frame_.to_memory(splat(frame_, frame_.value(node.value), lanes), node.type);
  Value* mask = splat(frame_, frame_.value(node.mask), lanes);
  frame_.assign(node.target, frame_.from_memory(compressed(values, mask), node.type));
}

Value* LaneEmitter::compressed(Value* values, Value* mask) {
  constexpr unsigned least_bits = 32;  // of an element
  auto* type = llvm::cast<llvm::FixedVectorType>(values->getType());
  const unsigned lanes = type->getNumElements();
  const unsigned bits = type->getScalarSizeInBits();
  const unsigned size = lanes * std::max(bits, least_bits);
  if (!frame_.part().compresses || (size != 128 && size != 256 && size != 512)) {
    return compressed_in_memory(values, mask);
  }
  auto* numbers = llvm::FixedVectorType::get(builder_.getIntNTy(bits), lanes);
  auto* wide = llvm::FixedVectorType::get(builder_.getIntNTy(std::max(bits, least_bits)), lanes);
  Value* widened = builder_.CreateZExt(builder_.CreateBitCast(values, numbers), wide);
  Value* together =
      builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_compress, {wide},
                               {widened, llvm::Constant::getNullValue(wide), mask});
  return builder_.CreateBitCast(builder_.CreateTrunc(together, numbers), type);
}

Value* LaneEmitter::compressed_in_memory(Value* values, Value* mask) {
  auto* type = llvm::cast<llvm::FixedVectorType>(values->getType());
  llvm::AllocaInst* slot = frame_.stack_slot(type, "kept");
  Value* next = builder_.getInt64(0);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* address = builder_.CreateInBoundsGEP(type->getElementType(), slot, {next});
    builder_.CreateStore(builder_.CreateExtractElement(values, lane), address);
    Value* stays = builder_.CreateExtractElement(mask, lane);
    next = builder_.CreateAdd(next, builder_.CreateZExt(stays, builder_.getInt64Ty()));
  }
  return builder_.CreateLoad(type, slot);
}

void LaneEmitter::emit(const tree::CountLanes& node) {
  Value* mask = frame_.value(node.mask);
  const unsigned lanes = frame_.lanes_of(node.mask.name());
  Value* bits = builder_.CreateBitCast(mask, builder_.getIntNTy(lanes));
  Value* word = builder_.CreateZExt(bits, builder_.getInt64Ty());
  frame_.assign(node.target, builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, word));
}

}  // namespace dagaz::codegen
