// LLVM's O3 is made for scalar code that functions and loops of all kinds hide.  Code in lanes
// hides nothing: its loops count from zero in steps of one, most of its vectors are there, and half
// of those passes look in vain.  What is left here makes values common, moves them out of loops,
// and unrolls.
#include "codegen/lane_passes.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/Transforms/IPO/ConstantMerge.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/InjectTLIMappings.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "codegen/bounded_exponentials.h"
#include "codegen/host_target.h"
#include "codegen/own_vector_functions.h"

namespace dagaz::codegen {

namespace {

constexpr int lane_level = 3;

llvm::FunctionPassManager simplification() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager invariant;
  invariant.addPass(llvm::LICMPass(llvm::LICMOptions()));
  invariant.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(std::move(invariant), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager short_loops;
  short_loops.addPass(llvm::IndVarSimplifyPass());
  short_loops.addPass(llvm::LoopDeletionPass());
  short_loops.addPass(llvm::LoopFullUnrollPass(lane_level));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(short_loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DSEPass());
  return passes;
}

llvm::FunctionPassManager unrolling(const llvm::TargetMachine& machine) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  // Between blocks of lanes there are loops over single elements.
  passes.addPass(llvm::InjectTLIMappings());
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::VectorCombinePass());
  // A loop over blocks has work enough in each.
  const auto known_lengths = llvm::LoopUnrollOptions(lane_level).setRuntime(false);
  passes.addPass(llvm::LoopUnrollPass(known_lengths));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  const auto both_sides = llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true);
  passes.addPass(llvm::SimplifyCFGPass(both_sides));
  if (has_own_vector_functions(machine)) {
    passes.addPass(OwnVectorFunctions());
    passes.addPass(BoundedExponentials());
  }
  passes.addPass(llvm::EarlyCSEPass());
  return passes;
}

}  // namespace

void optimise_lanes(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, {}, [&](llvm::PassBuilder&) {
    llvm::ModulePassManager passes;
    llvm::ModuleInlinerWrapperPass inlining(llvm::getInlineParams(lane_level, 0));
    inlining.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(simplification()));
    passes.addPass(std::move(inlining));
    passes.addPass(llvm::GlobalDCEPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(unrolling(machine)));
    passes.addPass(llvm::ConstantMergePass());
    return passes;
  });
}

}  // namespace dagaz::codegen
