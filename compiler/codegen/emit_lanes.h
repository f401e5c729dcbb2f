// Instructions on vector lanes (tree/lanes.h).
#pragma once

#include <optional>

#include "codegen/element_access.h"

namespace dagaz::codegen {

class LaneEmitter {
 public:
  LaneEmitter(FunctionFrame& frame, ElementAccess& elements)
      : frame_(frame), elements_(elements), builder_(frame.builder()) {}

  void emit(const tree::LoadLanes& node);
  void emit(const tree::StoreLanes& node);
  void emit(const tree::LaneNumbers& node);
  void emit(const tree::CombineLanes& node);
  void emit(const tree::CombineEach& node);
  void emit(const tree::TransposeLanes& node);
  void emit(const tree::CompressLanes& node);
  void emit(const tree::CountLanes& node);
  void emit(const tree::ShiftLanes& node);
  void emit(const tree::LastLane& node);

 private:
  bool are_consecutive(const Operand& index, const Operand& stride) const;
  llvm::Value* lane_addresses(NameId block, const Operand& index, const Operand& stride,
                              ScalarType type, unsigned lanes);
  llvm::Value* masked_address(NameId block, const Operand& index, ScalarType type);
  llvm::Value* lane_mask(const std::optional<Operand>& mask, unsigned lanes);
  llvm::Value* load_close(const tree::LoadLanes& node, unsigned lanes);
  void store_streaming(llvm::Value* stored, llvm::Value* address, llvm::Align aligned);
  llvm::Value* compressed(llvm::Value* values, llvm::Value* mask);
  llvm::Value* compressed_in_memory(llvm::Value* values, llvm::Value* mask);

  FunctionFrame& frame_;
  ElementAccess& elements_;
  llvm::IRBuilder<>& builder_;
};

}  // namespace dagaz::codegen
