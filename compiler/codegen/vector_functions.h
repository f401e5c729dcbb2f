// Which vector functions of glibc (libmvec) stand for which scalar functions of reals.
#pragma once

#include <vector>

#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Target/TargetMachine.h>

namespace dagaz::codegen {

/// Tells `library` the functions that `machine` can run.
void add_vector_functions(llvm::TargetLibraryInfoImpl& library,
                          const llvm::TargetMachine& machine);

/// A call of the vector function that stands for the scalar one of this name.
struct VectorCall {
  llvm::CallInst* call;
  llvm::StringRef scalar_name;
};
std::vector<VectorCall> vector_calls(llvm::Function& function);

}  // namespace dagaz::codegen
