// Which vector functions of glibc (libmvec) stand for which scalar functions of reals.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Target/TargetMachine.h>

namespace dagaz::codegen {

/// Tells `library` the functions that `machine` can run.
void add_vector_functions(llvm::TargetLibraryInfoImpl& library,
                          const llvm::TargetMachine& machine);

}  // namespace dagaz::codegen
