// Instructions of a warp on small matrices (tree/parallel.h).
#pragma once

#include <vector>

#include "codegen/element_access.h"

namespace dagaz::codegen {

class MatrixEmitter {
 public:
  MatrixEmitter(FunctionFrame& frame, ElementAccess& elements)
      : frame_(frame), elements_(elements), builder_(frame.builder()) {}

  void emit(const tree::LoadMatrices& node);
  void emit(const tree::MultiplyMatrices& node);

 private:
  llvm::Value* simulated_matrix(const tree::LoadMatrices& node, int number);
  std::vector<llvm::Value*> simulated_products(const tree::MultiplyMatrices& node);

  FunctionFrame& frame_;
  ElementAccess& elements_;
  llvm::IRBuilder<>& builder_;
};

}  // namespace dagaz::codegen
