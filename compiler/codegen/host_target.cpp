// Target machines and pipelines.  Contraction of a*b+c is allowed everywhere: it only ever makes
// results more accurate, and costs half otherwise.  (Machine code that is made in the least time has
// no such.)  Calls of scalar maths in vectorised loops
// become calls of glibc's vector library (vector_functions.h), or formulas of our own
// (own_vector_functions.h).
#include "codegen/host_target.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include "codegen/bounded_exponentials.h"
#include "codegen/extremum_reductions.h"
#include "codegen/own_vector_functions.h"
#include "codegen/vector_functions.h"
#include "support/check.h"

namespace dagaz::codegen {

namespace {

std::string features_of_this_machine() {
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features += feature.second ? '+' : '-';
    features += feature.first().str();
    features += ',';
  }
  if (!features.empty()) features.pop_back();
  return features;
}

llvm::CodeGenOptLevel code_level(int level) {
  switch (level) {
    case 0:
    case 1: return llvm::CodeGenOptLevel::None;
    case 2: return llvm::CodeGenOptLevel::Default;
    default: return llvm::CodeGenOptLevel::Aggressive;
  }
}

llvm::OptimizationLevel pipeline_level(int level) {
  switch (level) {
    case 0: return llvm::OptimizationLevel::O0;
    case 1: return llvm::OptimizationLevel::O1;
    case 2: return llvm::OptimizationLevel::O2;
    default: return llvm::OptimizationLevel::O3;
  }
}

}  // namespace

llvm::TargetLibraryInfoImpl library_of(const llvm::TargetMachine& machine) {
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  if (machine.getTargetTriple().isX86()) {
    add_vector_functions(library, machine);
  } else {
    library.disableAllFunctions();
  }
  return library;
}

// A loop of a few instructions takes a quarter longer, or half, where it lies across two lines of a
// cache: what it takes would change with the length of the code before it.
static void align_innermost_loops() {
  constexpr const char* log2_bytes = "5";
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("x86-experimental-pref-innermost-loop-alignment");
  // Only what occurs on a command line counts.
  if (found != options.end()) found->second->addOccurrence(0, found->first(), log2_bytes);
}

static void initialise_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    for (const auto initialise :
         {LLVMInitializeX86TargetInfo, LLVMInitializeX86Target, LLVMInitializeX86TargetMC,
          LLVMInitializeX86AsmPrinter, LLVMInitializeAArch64TargetInfo,
          LLVMInitializeAArch64Target, LLVMInitializeAArch64TargetMC,
          LLVMInitializeAArch64AsmPrinter}) {
      initialise();
    }
    align_innermost_loops();
  });
}

static const llvm::Target& target_for(const std::string& triple) {
  initialise_targets();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  DZ_CHECK(target != nullptr, problem);
  return *target;
}

static bool knows_processor(const std::string& triple, const std::string& cpu) {
  const std::unique_ptr<llvm::MCSubtargetInfo> processors(
      target_for(triple).createMCSubtargetInfo(triple, "", ""));
  return processors->isCPUStringValid(cpu);
}

// The architecture of this machine first: some names belong to several.
std::optional<std::string> triple_for(const std::string& cpu) {
  static constexpr const char* arm = "aarch64-unknown-linux-gnu";
  const std::string here = llvm::sys::getDefaultTargetTriple();
  if (cpu == "native" || cpu == "generic") return here;
  if (cpu == "arm64") return arm;
  for (const std::string& triple : {here, std::string("x86_64-unknown-linux-gnu"), {arm}}) {
    if (knows_processor(triple, cpu)) return triple;
  }
  return std::nullopt;
}

bool is_foreign(const std::string& cpu) {
  const std::optional<std::string> triple = triple_for(cpu);
  return triple && llvm::Triple(*triple).getArch() !=
                       llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch();
}

std::unique_ptr<llvm::TargetMachine> make_host_machine(const Options& options) {
  const std::string triple = *triple_for(options.cpu);
  const llvm::Target& target = target_for(triple);
  std::string processor = options.cpu;
  std::string features;
  if (options.cpu == "native") {
    processor = llvm::sys::getHostCPUName().str();
    features = features_of_this_machine();
  } else if (options.cpu == "generic" && llvm::Triple(triple).isX86()) {
    processor = "x86-64";
  } else if (options.cpu == "arm64") {
    processor = "generic";
  }
  llvm::TargetOptions settings;
  settings.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(
      target.createTargetMachine(triple, processor, features, settings, llvm::Reloc::PIC_,
                                  std::nullopt, code_level(options.optimisation)));
}

Processor processor_of(const llvm::TargetMachine& machine) {
  static constexpr std::string_view known[] = {
#define DZ_PROCESSOR_FEATURE(name, leaf, part, word, bit, state) name,
#include "processor_features.def"
#undef DZ_PROCESSOR_FEATURE
  };
  Processor processor{machine.getTargetCPU().str(), ""};
  // Other architectures have features of the same names, and the runtime cannot ask for them.
  if (!machine.getTargetTriple().isX86()) return processor;
  for (const auto& feature : machine.getMCSubtargetInfo()->getEnabledProcessorFeatures()) {
    if (std::find(std::begin(known), std::end(known), feature.Key) == std::end(known)) continue;
    processor.features += (processor.features.empty() ? "" : " ") + std::string(feature.Key);
  }
  return processor;
}

void compile_for(llvm::Module& module, const llvm::TargetMachine& machine) {
  // LLVM keeps to half of AVX-512 because early processors slowed down for all of it.  Those with
  // this extension do not, and the vector maths of glibc is several times faster at full width.
  const bool wide = machine.getTargetTriple().isX86() &&
                    machine.getMCSubtargetInfo()->checkFeatures("+avx512vbmi2");
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (wide) function.addFnAttr("prefer-vector-width", "512");
    const llvm::StringRef features = machine.getTargetFeatureString();
    if (!features.empty()) function.addFnAttr("target-features", features);
  }
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine,
                const llvm::PipelineTuningOptions& tuning, const MakePipeline& make_pipeline) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine, tuning);
  const llvm::TargetLibraryInfoImpl library = library_of(machine);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  make_pipeline(passes).run(module, modules);
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = level >= 2;
  tuning.SLPVectorization = level >= 2;
  tuning.LoopInterleaving = level >= 2;
  run_passes(module, machine, tuning, [&](llvm::PassBuilder& passes) {
    passes.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager& later, llvm::OptimizationLevel) {
          later.addPass(ExtremumReductions());
        });
    // Both sides of a branch lie in one block once lanes run both: what they share is computed
    // once.
    passes.registerOptimizerLastEPCallback(
        [&](llvm::ModulePassManager& last, llvm::OptimizationLevel) {
          if (has_own_vector_functions(machine)) {
            last.addPass(llvm::createModuleToFunctionPassAdaptor(OwnVectorFunctions()));
            last.addPass(llvm::createModuleToFunctionPassAdaptor(BoundedExponentials()));
          }
          last.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::EarlyCSEPass()));
        });
    return level == 0 ? passes.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                      : passes.buildPerModuleDefaultPipeline(pipeline_level(level));
  });
}

namespace {

/// LLVM's passes that make machine code.
class CodePasses : public llvm::legacy::PassManager {
 public:
  explicit CodePasses(bool reduces) : reduces_(reduces) {}

  void add(llvm::Pass* pass) override {
    const llvm::StringRef name = pass->getPassName();
    const bool reduction = name == "Loop Strength Reduction" ||
                           name == "Canonicalize Freeze Instructions in Loops";
    // Looks for bits that are masks of AVX-512, which here are masks from the start.
    const bool masks = name == "X86 Domain Reassignment Pass";
    if (masks || (reduction && !reduces_)) {
      delete pass;
    } else {
      llvm::legacy::PassManager::add(pass);
    }
  }

 private:
  bool reduces_;
};

}  // namespace

std::string machine_code(llvm::Module& module, llvm::TargetMachine& machine, Form form,
                         Treatment treatment) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  const llvm::CodeGenOptLevel level = machine.getOptLevel();
  // Kernels of sim take a third longer for it, and LLVM half as long.
  if (treatment == Treatment::simulated) machine.setOptLevel(llvm::CodeGenOptLevel::None);
  // Without, tight loops over single elements lose a tenth; vectors gain up to a fifth where the
  // processor has addresses of a base, an index and a scale.
  CodePasses passes(treatment == Treatment::all || !machine.getTargetTriple().isX86());
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library_of(machine)));
  const auto type = form == Form::object ? llvm::CodeGenFileType::ObjectFile
                                         : llvm::CodeGenFileType::AssemblyFile;
  // What is compiled has been verified when it was made.
  const bool verified = true;
  const bool impossible = machine.addPassesToEmitFile(passes, out, nullptr, type, verified);
  DZ_CHECK(!impossible, "the target machine cannot write this kind of file");
  passes.run(module);
  machine.setOptLevel(level);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace dagaz::codegen
