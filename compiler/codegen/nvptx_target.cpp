// The maths library is libclc's bitcode for nvptx64--nvidiacl: found beside this shared object,
// or where it was when Dagaz was built.  It is parsed lazily and only what is called is linked.
#include "codegen/nvptx_target.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <vector>

#include <llvm/ADT/StringSet.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include "codegen/host_target.h"
#include "codegen/installation.h"
#include "codegen/short_ptx.h"
#include "support/check.h"

namespace dagaz::codegen {

namespace {

constexpr const char* triple = "nvptx64-nvidia-cuda";
constexpr const char* library_file = "nvptx64--nvidiacl.bc";
constexpr int oldest_architecture = 70;

/// The PTX version that knows `architecture`, with its own instructions where it is
/// `accelerated` (sm_90a); older versions run on more drivers.
const char* ptx_feature(int architecture, bool accelerated) {
  if (architecture >= 100) return "+ptx85";
  if (architecture >= 89) return accelerated ? "+ptx80" : "+ptx78";
  if (architecture >= 87) return "+ptx74";
  if (architecture >= 80) return "+ptx71";
  return "+ptx63";
}

/// What kernels need of LLVM's passes.  They are many, small and made by us, and the driver's
/// compiler optimises again: simplifying once before and once after loops is enough, and what
/// vectorises for a CPU only costs time.  Half the time of LLVM's own list, and the PTX is as long.
constexpr const char* kernel_passes =
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),"
    "cgscc(inline),always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "correlated-propagation,simplifycfg,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,loop-rotate,licm),"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,gvn,adce,loop-mssa(licm),"
    "loop-unroll<O3>,slp-vectorizer,instcombine<no-verify-fixpoint>,simplifycfg),globaldce";

void optimise_kernels(llvm::Module& module, llvm::TargetMachine& machine) {
  run_passes(module, machine, {}, [](llvm::PassBuilder& passes) {
    llvm::ModulePassManager pipeline;
    // The target's own: libraries that ask what they run on, ranges of thread numbers.
    passes.invokePipelineStartEPCallbacks(pipeline, llvm::OptimizationLevel::O3);
    llvm::Error problem = passes.parsePassPipeline(pipeline, kernel_passes);
    DZ_CHECK(!problem, "LLVM's passes: " + llvm::toString(std::move(problem)));
    return pipeline;
  });
}

std::string find_library() {
  for (const std::string& folder : library_folders()) {
    const std::filesystem::path file = std::filesystem::path(folder) / library_file;
    if (std::filesystem::exists(file)) return file.string();
  }
  return DAGAZ_LIBCLC;
}

std::vector<std::string> undefined_functions(const llvm::Module& module) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty()) {
      names.push_back(function.getName().str());
    }
  }
  return names;
}

/// What is not visible outside a module needs a name that no other part of the program has.
/// Variables are the maths library's tables and shared memory: the same wherever they occur.
void make_names_unique(llvm::Module& module, std::size_t number) {
  for (llvm::Function& function : module) {
    if (!function.hasLocalLinkage()) continue;
    function.setName(function.getName() + "_part" + llvm::Twine(number));
  }
}

/// What follows the lines that say for what machine it is.
llvm::StringRef without_header(llvm::StringRef ptx) {
  constexpr llvm::StringRef header_end = ".address_size 64\n";
  const std::size_t end = ptx.find(header_end);
  DZ_CHECK(end != llvm::StringRef::npos, "PTX without a header");
  return ptx.drop_front(end + header_end.size());
}

/// Whether a line of PTX is the whole of a variable outside functions.
bool is_variable(llvm::StringRef line) { return line.starts_with(".") && line.ends_with(";"); }

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_device_machine(const Options& options,
                                                         std::string& problem) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  int architecture = 0;
  const bool named = options.gpu.starts_with("sm_") &&
                     !llvm::StringRef(options.gpu).drop_front(3).rtrim('a').getAsInteger(
                         10, architecture);
  if (!named || architecture < oldest_architecture) {
    problem = "`" + options.gpu + "` is not a GPU architecture that Dagaz knows; expected sm_" +
              std::to_string(oldest_architecture) + " or newer";
    return nullptr;
  }
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  DZ_CHECK(target != nullptr, problem);
  llvm::TargetOptions settings;
  settings.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.gpu, ptx_feature(architecture, options.gpu.ends_with('a')), settings,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(options.gpu)) {
    problem = "this LLVM does not know the GPU architecture `" + options.gpu + "`";
    return nullptr;
  }
  return machine;
}

bool link_math_library(llvm::Module& module, std::string& problem) {
  if (undefined_functions(module).empty()) return true;
  const std::string file = find_library();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(file, diagnostic, module.getContext());
  if (library == nullptr) {
    problem = "cannot read the GPU maths library " + file + " (libclc 19): " +
              diagnostic.getMessage().str();
    return false;
  }
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // Version notes of OpenCL mean nothing in a CUDA module.
  for (const char* note : {"opencl.ocl.version", "llvm.ident", "opencl.spir.version"}) {
    if (llvm::NamedMDNode* metadata = library->getNamedMetadata(note)) {
      library->eraseNamedMetadata(metadata);
    }
  }
  std::vector<std::string> own;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) own.push_back(function.getName().str());
  }
  const bool failed = llvm::Linker::linkModules(module, std::move(library),
                                                llvm::Linker::Flags::LinkOnlyNeeded);
  DZ_CHECK(!failed, "the GPU maths library cannot be linked");
  llvm::internalizeModule(module, [&](const llvm::GlobalValue& value) {
    return std::find(own.begin(), own.end(), value.getName()) != own.end() ||
           value.getName() == "dz_shared";
  });
  const std::vector<std::string> missing = undefined_functions(module);
  DZ_CHECK(missing.empty(), "the GPU maths library has no " + missing.front());
  return true;
}

std::string make_ptx(llvm::Module& module, llvm::TargetMachine& machine, int level,
                     std::size_t number) {
  // Libraries mark their functions for their own target; here everything is for one machine.
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
  }
  if (level < 2) {
    optimise(module, machine, level);
  } else {
    optimise_kernels(module, machine);
  }
  if (number > 0) make_names_unique(module, number);
  return machine_code(module, machine, Form::assembly, Treatment::all);
}

std::string joined_ptx(const std::vector<std::string>& parts) {
  if (parts.empty()) return "";
  std::string all = parts[0].substr(0, parts[0].size() - without_header(parts[0]).size());
  llvm::StringSet<> variables;
  ShortPtx shorter;
  for (const std::string& part : parts) {
    llvm::StringRef rest = without_header(part);
    while (!rest.empty()) {
      const auto [line, after] = rest.split('\n');
      rest = after;
      if (is_variable(line) && !variables.insert(line).second) continue;
      all += shorter.line(line);
    }
  }
  return all;
}

}  // namespace dagaz::codegen
