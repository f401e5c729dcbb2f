// Instructions on memory (tree/memory.h) and on single elements.
#pragma once

#include <span>

#include "codegen/element_access.h"

namespace dagaz::codegen {

class MemoryEmitter {
 public:
  MemoryEmitter(FunctionFrame& frame, ElementAccess& elements)
      : frame_(frame), elements_(elements), builder_(frame.builder()) {}

  void emit(const tree::Load& node);
  void emit(const tree::Store& node);
  void emit(const tree::Allocate& node);
  void emit(const tree::Share& node);
  void emit(const tree::Release& node);
  void emit(const tree::AllocateScratch& node);
  void emit(const tree::AllocateLocal& node);
  void emit(const tree::CopyElements& node);
  void emit(const tree::Sort& node);
  void emit(const tree::Fetch& node);
  void emit(const tree::WriteTable& node);
  void emit(const tree::Fill& node);
  void emit(const tree::ReadElement& node);
  void emit(const tree::WriteElement& node);
  void emit(const tree::Fence& node);
  void emit(const tree::Atomic& node);
  void emit(const tree::CompareExchange& node);
  /// Several at once.
  void emit_reads(std::span<const tree::ReadElement* const> reads);

 private:
  void copy_streaming(llvm::Value* target, llvm::Value* source, llvm::Value* bytes);

  FunctionFrame& frame_;
  ElementAccess& elements_;
  llvm::IRBuilder<>& builder_;
};

}  // namespace dagaz::codegen
