// Matrices that a warp loads and multiplies: PTX has an instruction for each.  For sim a thread
// asks the others where the rows lie, and reads its elements like any others; products are the
// runtime's.
#include <array>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/emit_matrices.h"
#include "ir/kernel_threads.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

constexpr int matrix_side = 8;  // of what LoadMatrices loads
constexpr int group = 4;        // threads that have a row of it

llvm::Intrinsic::ID loading(std::size_t count, bool transposed) {
  using namespace llvm::Intrinsic;
  switch (count) {
    case 1:
      return transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                        : nvvm_ldmatrix_sync_aligned_m8n8_x1_b16;
    case 2:
      return transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                        : nvvm_ldmatrix_sync_aligned_m8n8_x2_b16;
    default:
      return transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                        : nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
  }
}

llvm::Intrinsic::ID multiplying(ir::MatrixUnit unit) {
  switch (unit) {
    case ir::MatrixUnit::none: break;
    case ir::MatrixUnit::f16: return llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32;
    case ir::MatrixUnit::tf32: return llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32;
    case ir::MatrixUnit::f64: return llvm::Intrinsic::nvvm_mma_m8n8k4_row_col_f64;
  }
  DZ_UNREACHABLE("what multiplies matrices");
}

}  // namespace

// Element e of the pair is in row g and column 2·t + e of the matrix; the other way round in a
// transposed one.
Value* MatrixEmitter::simulated_matrix(const tree::LoadMatrices& node, int number) {
  constexpr unsigned by_index = 3;  // of dz_sim_shuffle
  Value* lane = builder_.CreateURem(frame_.runtime_call("dz_sim_thread_index", {frame_.thread()}),
                                    builder_.getInt32(ir::warp_threads));
  Value* g = builder_.CreateUDiv(lane, builder_.getInt32(group));
  Value* t = builder_.CreateURem(lane, builder_.getInt32(group));
  Value* pair = llvm::UndefValue::get(llvm::FixedVectorType::get(builder_.getHalfTy(), 2));
  for (unsigned e = 0; e < 2; ++e) {
    Value* along =
        builder_.CreateAdd(builder_.CreateMul(t, builder_.getInt32(2)), builder_.getInt32(e));
    Value* row = node.transposed ? along : g;
    Value* column = node.transposed ? g : along;
    Value* source =
        builder_.CreateAdd(row, builder_.getInt32(static_cast<unsigned>(matrix_side * number)));
    Value* start = frame_.runtime_call("dz_sim_shuffle", {frame_.thread(), frame_.value(node.index),
                                                          builder_.getInt32(by_index), source});
    Value* index = builder_.CreateAdd(start, builder_.CreateZExt(column, builder_.getInt64Ty()));
    Value* address =
        builder_.CreateInBoundsGEP(builder_.getHalfTy(), frame_.value(node.block), {index});
    elements_.simulate(address, ScalarType::f16, Space::shared, 0);
    Value* element = builder_.CreateAlignedLoad(builder_.getHalfTy(), address, llvm::Align(2));
    pair = builder_.CreateInsertElement(pair, element, e);
  }
  return builder_.CreateBitCast(pair, builder_.getInt32Ty());
}

void MatrixEmitter::emit(const tree::LoadMatrices& node) {
  const std::size_t count = node.targets.size();
  if (!frame_.in_ptx()) {
    std::vector<Value*> loaded;
    for (std::size_t m = 0; m < count; ++m) {
      loaded.push_back(simulated_matrix(node, static_cast<int>(m)));
    }
    for (std::size_t m = 0; m < count; ++m) frame_.assign(node.targets[m], loaded[m]);
    return;
  }
  Value* address = elements_.address(node.block, node.index, ScalarType::f16, Space::shared);
  llvm::CallInst* loaded =
      builder_.CreateIntrinsic(loading(count, node.transposed), {address->getType()}, {address});
  loaded->setConvergent();
  for (unsigned m = 0; m < count; ++m) {
    Value* one = count == 1 ? loaded : builder_.CreateExtractValue(loaded, m);
    frame_.assign(node.targets[m], one);
  }
}

// The thread's parts, in memory that the others of its warp see.
std::vector<Value*> MatrixEmitter::simulated_products(const tree::MultiplyMatrices& node) {
  const auto in_memory = [&](const std::vector<Operand>& operands) {
    llvm::Type* type = frame_.value(operands.front())->getType();
    llvm::AllocaInst* slot = frame_.stack_slot(llvm::ArrayType::get(type, operands.size()), "part");
    for (unsigned k = 0; k < operands.size(); ++k) {
      Value* place = builder_.CreateConstInBoundsGEP1_64(type, slot, k);
      builder_.CreateStore(frame_.value(operands[k]), place);
    }
    return slot;
  };
  llvm::AllocaInst* rows = in_memory(node.rows);
  llvm::AllocaInst* points = in_memory(node.points);
  llvm::AllocaInst* sums = in_memory(node.sums);
  frame_.runtime_call(
      "dz_sim_multiply",
      {frame_.thread(), builder_.getInt32(static_cast<unsigned>(node.unit)), rows, points, sums});
  llvm::Type* type = frame_.value_type(ir::sum_type(node.unit));
  std::vector<Value*> products;
  for (unsigned s = 0; s < node.targets.size(); ++s) {
    products.push_back(
        builder_.CreateLoad(type, builder_.CreateConstInBoundsGEP1_64(type, sums, s)));
  }
  return products;
}

void MatrixEmitter::emit(const tree::MultiplyMatrices& node) {
  std::vector<Value*> products;
  if (frame_.in_ptx()) {
    std::vector<Value*> arguments;
    llvm::Type* factor = builder_.getInt32Ty();
    if (node.unit == ir::MatrixUnit::f16) {
      factor = llvm::FixedVectorType::get(builder_.getHalfTy(), 2);
    } else if (node.unit == ir::MatrixUnit::f64) {
      factor = builder_.getDoubleTy();
    }
    for (const auto* side : {&node.rows, &node.points}) {
      for (const Operand& one : *side) {
        arguments.push_back(builder_.CreateBitCast(frame_.value(one), factor));
      }
    }
    for (const Operand& one : node.sums) arguments.push_back(frame_.value(one));
    llvm::CallInst* all = builder_.CreateIntrinsic(multiplying(node.unit), {}, arguments);
    all->setConvergent();
    for (unsigned s = 0; s < node.targets.size(); ++s) {
      products.push_back(builder_.CreateExtractValue(all, s));
    }
  } else {
    products = simulated_products(node);
  }
  for (std::size_t s = 0; s < node.targets.size(); ++s) frame_.assign(node.targets[s], products[s]);
}

}  // namespace dagaz::codegen
