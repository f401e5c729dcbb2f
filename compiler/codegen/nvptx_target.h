// PTX for one NVIDIA architecture: links the maths library into the device module, optimises it
// and prints it.  Needs no CUDA toolkit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/codegen.h"

namespace dagaz::codegen {

/// A target machine for `options.gpu`, or null with the reason in `problem`.
std::unique_ptr<llvm::TargetMachine> make_device_machine(const Options& options,
                                                         std::string& problem);

/// Links in the functions of libclc that `module` calls.  False, with the reason in `problem`,
/// when libclc is needed and not installed.
bool link_math_library(llvm::Module& module, std::string& problem);

/// Optimises `module`, which is part `number` of a program, and returns its PTX.
std::string make_ptx(llvm::Module& module, llvm::TargetMachine& machine, int level,
                     std::size_t number);

/// The PTX of all parts as one module.
std::string joined_ptx(const std::vector<std::string>& parts);

}  // namespace dagaz::codegen
