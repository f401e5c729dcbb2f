// LLVM's passes where its time counts for more than what the code takes.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace dagaz::codegen {

/// Optimises `module` in little time.
void optimise_quickly(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace dagaz::codegen
