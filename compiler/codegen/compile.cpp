// The order of work: long functions are divided into pieces, and the program into parts; the GPU's
// parts become PTX, the host's machine code, several at a time.  The host's first part describes
// the program to the runtime and holds the PTX as a constant, so it is the last for CUDA.
#include "codegen/codegen.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/c_header.h"
#include "codegen/emit.h"
#include "codegen/host_target.h"
#include "codegen/jobs.h"
#include "codegen/lane_passes.h"
#include "codegen/long_functions.h"
#include "codegen/manifest.h"
#include "codegen/nvptx_target.h"
#include "codegen/quick_passes.h"
#include "ir/ranks.h"
#include "support/check.h"
#include "support/match.h"
#include "tree/walk.h"

namespace dagaz::codegen {

static bool asks_for_arena(const tree::Function& function) {
  bool asks = false;
  tree::for_each_instruction(function.body, [&](const tree::Instruction& instruction) {
    const auto* asked = as<tree::DeviceProperty>(instruction.node);
    asks = asks || (asked != nullptr && asked->property == tree::Property::arena_bytes);
  });
  return asks;
}

static std::vector<std::string> called_by(const tree::Function& function) {
  std::vector<std::string> names;
  tree::for_each_instruction(function.body, [&](const tree::Instruction& instruction) {
    const auto* call = as<tree::Call>(instruction.node);
    if (call != nullptr && !ir::is_rank_call(call->function)) names.push_back(call->function);
  });
  return names;
}

// What a function calls may run after its kernels, and it goes on after those of what it calls.
static std::unordered_set<std::string> find_arena_users(const tree::Program& program) {
  std::unordered_set<std::string> users;
  std::vector<std::vector<std::string>> together;
  for (const tree::Function& one : program.functions) {
    if (asks_for_arena(one)) users.insert(one.name);
    together.push_back(called_by(one));
    together.back().push_back(one.name);
  }
  const auto is_user = [&](const std::string& name) { return users.contains(name); };
  for (std::size_t before = 0; before != users.size();) {
    before = users.size();
    for (const std::vector<std::string>& names : together) {
      if (std::any_of(names.begin(), names.end(), is_user)) {
        users.insert(names.begin(), names.end());
      }
    }
  }
  return users;
}

Unit::Unit(const tree::Program& imperative_program, const std::unordered_set<std::string>& own,
           const SourceFiles& source_files, const Options& compile_options, Divide how)
    : program(imperative_program), pieces(own), files(source_files), options(compile_options),
      division(divide(imperative_program, how, compile_options.tunables)) {
  if (on_gpu()) arena_users = find_arena_users(program);
  for (const tree::Function& one : program.functions) functions[one.name] = &one;
}

const tree::Function& Unit::function(const std::string& name) const {
  const auto found = functions.find(name);
  DZ_CHECK(found != functions.end(), "no function " + name);
  return *found->second;
}

// LLVM warns of loops that it did not unroll or vectorise as it was told: of no use to users.
static void ignore_warnings(const llvm::DiagnosticInfo* info, void*) {
  if (info->getSeverity() != llvm::DS_Error) return;
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::DiagnosticPrinterRawOStream printer(out);
  info->print(printer);
  bug(__FILE__, __LINE__, text);
}

static bool compresses_lanes(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl");
}

PartModule::PartModule(const Unit& whole, const std::string& name,
                       const llvm::TargetMachine& machine)
    : unit(whole), module(name, context), ptx(machine.getTargetTriple().isNVPTX()),
      compresses(compresses_lanes(machine)), library(library_of(machine)) {
  context.setDiagnosticHandlerCallBack(ignore_warnings);
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
}

namespace {

std::vector<std::size_t> heaviest_first(const std::vector<Part>& parts) {
  std::vector<std::size_t> numbers(parts.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::stable_sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    return parts[a].weight > parts[b].weight;
  });
  return numbers;
}

constexpr unsigned want_host = want_object | want_llvm | want_assembly;

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

/// LLVM ends the process on what it cannot compile; that is a bug of ours, reported as one.
void report_fatal(void*, const char* reason, bool) { bug(__FILE__, __LINE__, reason); }

void verify(const llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream out(problems);
  DZ_CHECK(!llvm::verifyModule(module, &out), "LLVM refuses the code: " + problems);
}

/// Target machines, each of one job at a time: to make one and what it finds out about its
/// processor takes as long as to compile twenty instructions.
class HostMachines {
 public:
  explicit HostMachines(const Options& options) : options_(options) {}

  std::unique_ptr<llvm::TargetMachine> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return make_host_machine(options_);
    std::unique_ptr<llvm::TargetMachine> machine = std::move(free_.back());
    free_.pop_back();
    return machine;
  }

  void give_back(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(machine));
  }

 private:
  const Options& options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> free_;
};

/// One program on its way through LLVM.  Each job of the pool has its own place for what it makes.
class Compiler {
 public:
  Compiler(const Unit& unit, unsigned want, Artifacts& artifacts)
      : unit_(unit), want_(want), artifacts_(artifacts), ptx_(unit.division.device.size()),
        problems_(unit.division.device.size()), host_machines_(unit.options) {
    artifacts_.objects.resize(unit.division.host.size());
  }

  void compile() {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < ptx_.size(); ++i) {
      jobs.push_back([this, i] { compile_device(i); });
    }
    const bool host = (want_ & want_host) != 0;
    const bool needs_ptx = !ptx_.empty();
    for (const std::size_t i : heaviest_first(unit_.division.host)) {
      if (host && !(needs_ptx && i == 0)) jobs.push_back([this, i] { compile_host(i); });
    }
    run(jobs, unit_.options.threads);
    for (std::string& problem : problems_) {
      if (!problem.empty()) artifacts_.problem = std::move(problem);
    }
    if (!artifacts_.problem.empty()) return;
    artifacts_.ptx = joined_ptx(ptx_);
    if (host && needs_ptx && unit_.options.assemble) {
      gpu_code_ = unit_.options.assemble(artifacts_.ptx, artifacts_.problem);
      if (!artifacts_.problem.empty()) return;
    }
    if (host && needs_ptx) compile_host(0);
  }

 private:
  void compile_device(std::size_t number) {
    const Doing doing("generating PTX");
    const std::unique_ptr<llvm::TargetMachine> machine =
        make_device_machine(unit_.options, problems_[number]);
    if (machine == nullptr) return;
    PartModule part(unit_, "dagaz.kernels", *machine);
    emit_part(part, unit_.division.device[number]);
    verify(part.module);
    if (!link_math_library(part.module, problems_[number])) return;
    ptx_[number] = make_ptx(part.module, *machine, unit_.options.optimisation, number);
  }

  void compile_host(std::size_t number) {
    const Doing doing("generating machine code");
    std::unique_ptr<llvm::TargetMachine> machine = host_machines_.take();
    PartModule part(unit_, "dagaz." + unit_.options.prefix, *machine);
    // Nobody but a reader asks what values are called, and LLVM keeps tables of it.
    part.context.setDiscardValueNames((want_ & want_llvm) == 0);
    emit_part(part, unit_.division.host[number]);
    if (number == 0) {
      emit_program(part, emit_entry_points(part), processor_of(*machine),
                   {artifacts_.ptx, gpu_code_});
      if (!unit_.options.executable) emit_c_api(part);
    }
    compile_for(part.module, *machine);
    verify(part.module);
    const Treatment treatment = unit_.division.host[number].treatment;
    const int level = unit_.options.optimisation;
    if (level == 1 || (level > 1 && treatment == Treatment::simulated)) {
      optimise_quickly(part.module, *machine);
    } else if (level == 3 && treatment == Treatment::in_lanes) {
      optimise_lanes(part.module, *machine);
    } else {
      optimise(part.module, *machine, level);
    }
    if ((want_ & want_llvm) != 0) artifacts_.llvm = text_of(part.module);
    if ((want_ & want_assembly) != 0) {
      artifacts_.assembly = machine_code(part.module, *machine, Form::assembly, treatment);
    }
    if ((want_ & want_object) != 0) {
      artifacts_.objects[number] = machine_code(part.module, *machine, Form::object, treatment);
    }
    host_machines_.give_back(std::move(machine));
  }

  const Unit& unit_;
  unsigned want_;
  Artifacts& artifacts_;
  std::vector<std::string> ptx_;
  std::vector<GpuCode> gpu_code_;
  std::vector<std::string> problems_;
  HostMachines host_machines_;
};

}  // namespace

Artifacts generate(const tree::Program& program, const SourceFiles& files,
                  const Options& options, unsigned want) {
  const Doing doing("generating code");
  Artifacts artifacts;
  if ((want & want_header) != 0) {
    artifacts.header = c_header(program, options);
    artifacts.manifest = manifest(program, options);
  }
  if ((want & (want_host | want_ptx)) == 0) return artifacts;
  if ((want & want_host) != 0 && !triple_for(options.cpu)) {
    artifacts.problem = "`" + options.cpu + "` is not a processor that LLVM knows; expected "
                        "`native`, `generic`, `arm64` or a name that `llc -mcpu=help` lists";
    return artifacts;
  }
  if ((want & want_object) != 0 && is_foreign(options.cpu)) {
    artifacts.problem = "`" + options.cpu +
                        "` is not of this machine's architecture, for which the "
                        "runtime is built; for others there are `--emit=asm` and `--emit=llvm`";
    return artifacts;
  }
  const llvm::ScopedFatalErrorHandler on_fatal_errors(report_fatal);
  // A text is one module.
  const bool text = (want & (want_llvm | want_assembly)) != 0;
  const std::optional<DividedFunctions> divided = divide_long_functions(program, options.tunables);
  const std::unordered_set<std::string> none;
  const Unit unit(divided ? divided->program : program, divided ? divided->pieces : none, files,
                  options, text ? Divide::never : Divide::as_useful);
  Compiler(unit, want, artifacts).compile();
  return artifacts;
}

}  // namespace dagaz::codegen
