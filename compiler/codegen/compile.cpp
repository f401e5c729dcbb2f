// The order of work: host code first, because it discovers the kernels; then the kernels; then
// PTX, which becomes a constant of the host module; then the host's machine code.
#include "codegen/codegen.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/c_header.h"
#include "codegen/emit.h"
#include "codegen/host_target.h"
#include "codegen/manifest.h"
#include "codegen/nvptx_target.h"
#include "support/check.h"

namespace dagaz::codegen {

Unit::Unit(const imperative::Program& imperative_program, const SourceFiles& source_files,
           const Options& compile_options)
    : program(imperative_program), files(source_files), options(compile_options),
      host(std::make_unique<llvm::Module>("dagaz." + compile_options.prefix, context)),
      failures(imperative_program.failures) {
  if (program.target == imperative::Target::cuda) {
    device = std::make_unique<llvm::Module>("dagaz.kernels", context);
  }
}

namespace {

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

/// Compiles the device module; false with a reason in the artifacts when that is impossible.
bool compile_device(Unit& unit, llvm::TargetMachine& machine, Artifacts& artifacts) {
  const Doing doing("generating PTX");
  verify(*unit.device);
  if (!link_math_library(*unit.device, artifacts.problem)) return false;
  artifacts.ptx = make_ptx(*unit.device, machine, unit.options.optimisation);
  return true;
}

}  // namespace

Artifacts generate(const imperative::Program& program, const SourceFiles& files,
                  const Options& options, unsigned want) {
  const Doing doing("generating code");
  Artifacts artifacts;
  if ((want & want_header) != 0) {
    artifacts.header = c_header(program, options);
    artifacts.manifest = manifest(program, options);
  }
  if ((want & (want_object | want_ptx | want_llvm | want_assembly)) == 0) return artifacts;

  const llvm::ScopedFatalErrorHandler on_fatal_errors(report_fatal);
  Unit unit(program, files, options);
  const std::unique_ptr<llvm::TargetMachine> host_machine = make_host_machine(options);
  prepare_for(*unit.host, *host_machine);
  unit.library = std::make_unique<llvm::TargetLibraryInfoImpl>(library_of(*host_machine));
  std::unique_ptr<llvm::TargetMachine> device_machine;
  if (unit.device) {
    device_machine = make_device_machine(options, artifacts.problem);
    if (device_machine == nullptr) return artifacts;
    unit.device->setTargetTriple(device_machine->getTargetTriple().str());
    unit.device->setDataLayout(device_machine->createDataLayout());
  }
  emit_functions(unit);
  if (unit.device && !compile_device(unit, *device_machine, artifacts)) return artifacts;
  if ((want & (want_object | want_llvm | want_assembly)) == 0) return artifacts;
  emit_program(unit, emit_entry_points(unit), artifacts.ptx);
  if (!options.executable) emit_c_api(unit);
  prepare_for(*unit.host, *host_machine);
  verify(*unit.host);
  optimise(*unit.host, *host_machine, options.optimisation);
  if ((want & want_llvm) != 0) artifacts.llvm = text_of(*unit.host);
  if ((want & want_assembly) != 0) {
    artifacts.assembly = machine_code(*unit.host, *host_machine, Form::assembly);
  }
  if ((want & want_object) != 0) {
    artifacts.object = machine_code(*unit.host, *host_machine, Form::object);
  }
  return artifacts;
}

}  // namespace dagaz::codegen
