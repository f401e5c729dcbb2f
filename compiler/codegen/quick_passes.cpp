// Variables come into registers, and values are made common: at level 1, and in kernels of sim at
// any.  Such a kernel calls the runtime before each access to memory, which takes longer than what
// stands between.  The calls keep accesses where they are, so that unrolled loops and vectors gain
// nothing, and tiles whose sums a GPU has in registers would become thousands of calls.
#include "codegen/quick_passes.h"

#include "codegen/bounded_exponentials.h"
#include "codegen/host_target.h"
#include "codegen/own_vector_functions.h"
#include "support/check.h"

namespace dagaz::codegen {

static constexpr const char* quick_passes =
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(licm),simplifycfg),globaldce";

void optimise_quickly(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, {}, [&](llvm::PassBuilder& passes) {
    llvm::ModulePassManager pipeline;
    llvm::Error problem = passes.parsePassPipeline(pipeline, quick_passes);
    DZ_CHECK(!problem, "LLVM's passes: " + llvm::toString(std::move(problem)));
    if (has_own_vector_functions(machine)) {
      pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(OwnVectorFunctions()));
      pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(BoundedExponentials()));
    }
    return pipeline;
  });
}

}  // namespace dagaz::codegen
