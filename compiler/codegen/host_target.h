// The machine that host code is compiled for: its LLVM target machine, the optimisation
// pipeline, and object code or assembly out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/codegen.h"
#include "codegen/parts.h"

namespace dagaz::codegen {

/// What the host's code is compiled for.
struct Processor {
  std::string name;
  std::string features;  // of runtime/processor_features.def, separated by spaces
};
Processor processor_of(const llvm::TargetMachine& machine);

/// LLVM's name of the machine that has the processor `cpu`: `native`, `generic`, `arm64`, or a name
/// that LLVM knows on x86-64 or ARM64.  Nothing for other names.
std::optional<std::string> triple_for(const std::string& cpu);
/// Whether that is of another architecture than this one.
bool is_foreign(const std::string& cpu);
/// A target machine for `options.cpu`, which is known.
std::unique_ptr<llvm::TargetMachine> make_host_machine(const Options& options);

/// Says to the functions of `module` which machine they are for, once all have been emitted.
void compile_for(llvm::Module& module, const llvm::TargetMachine& machine);

/// What may be taken for granted about functions outside the module.
llvm::TargetLibraryInfoImpl library_of(const llvm::TargetMachine& machine);

/// Runs what `make_pipeline` builds, with the analyses of `machine`.
using MakePipeline = std::function<llvm::ModulePassManager(llvm::PassBuilder&)>;
void run_passes(llvm::Module& module, llvm::TargetMachine& machine,
                const llvm::PipelineTuningOptions& tuning, const MakePipeline& make_pipeline);

/// Runs the optimisation pipeline of `level` (0 to 3) for `machine`.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

/// What a file of machine code holds.
enum class Form { object, assembly };
std::string machine_code(llvm::Module& module, llvm::TargetMachine& machine, Form form,
                         Treatment treatment);

}  // namespace dagaz::codegen
