// LLVM's passes over code that is in vector lanes already.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace dagaz::codegen {

/// Optimises `module`, most of whose loops are in lanes.
void optimise_lanes(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace dagaz::codegen
