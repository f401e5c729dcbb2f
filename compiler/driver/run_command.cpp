// dagaz run: compile in memory for this machine and run, or interpret.
#include <iostream>

#include "codegen/load.h"
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/interpret.h"
#include "driver/pipeline.h"
#include "driver/standard_input.h"

namespace dagaz::driver {

namespace {

// The reference: nothing is optimised, only derivatives are removed.
int interpret(Compilation& compilation, const RunOptions& options) {
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  if (report(compilation) || !program) return 1;
  const ir::ParallelProgram ready = optimise(std::move(*program), pass_context(compilation));
  if (compilation.diagnostics.has_errors()) {
    report(compilation);
    return 1;
  }
  return interpret_program(ready.program, compilation.files, options.program_arguments);
}

int compile_and_run(Compilation& compilation, const RunOptions& options) {
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  std::optional<tree::Program> lowered;
  const codegen::Library* library = nullptr;
  if (program) {
    lowered = lower(std::move(*program), pass_context(compilation));
  }
  if (lowered) library = codegen::load(compilation.diagnostics);
  if (report(compilation) || library == nullptr) return 1;
  codegen::Options code_options;
  code_options.prefix = "program";
  code_options.cpu = options.compile.cpu;
  code_options.gpu = options.compile.gpu;
  code_options.optimisation = options.compile.optimisation;
  std::string name = options.compile.file;
  std::vector<std::string> words{name};
  words.insert(words.end(), options.program_arguments.begin(), options.program_arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return library->run_in_process(*lowered, compilation.files, code_options,
                                 static_cast<int>(words.size()), argv.data());
}

}  // namespace

int run_command(const RunOptions& options) {
  if (!unpack_standard_input()) return 1;
  Compilation compilation(options.compile);
  return options.compile.target == Target::interpreter ? interpret(compilation, options)
                                                       : compile_and_run(compilation, options);
}

}  // namespace dagaz::driver
