// dagaz run: compile in memory for this machine and run, or interpret.
#include <iostream>

#include "codegen/load.h"
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/compile_in_memory.h"
#include "driver/interpret.h"
#include "driver/interpreted_calls.h"
#include "driver/line_counts.h"
#include "driver/pipeline.h"
#include "driver/standard_input.h"
#include "driver/tuning.h"

namespace dagaz::driver {

namespace {

// The reference: nothing is optimised, only derivatives are removed.
int interpret(const RunOptions& options) {
  Compilation compilation(options.compile);
  std::optional<ir::ParallelProgram> program =
      front_end_for(compilation, options.program_arguments);
  if (report(compilation) || !program) return 1;
  const ir::ParallelProgram ready = optimise(std::move(*program), pass_context(compilation));
  const TunedParameters tuned =
      tuned_parameters_of(compilation.options, compilation.diagnostics);
  if (compilation.diagnostics.has_errors()) {
    report(compilation);
    return 1;
  }
  return interpret_program(ready.program, compilation.files, tuned, options.program_arguments);
}

int compile_and_run(const RunOptions& options) {
  const std::optional<std::vector<std::string>> objects = compile_in_memory(options.compile);
  if (!objects) return 1;
  Diagnostics diagnostics;
  const codegen::Library* library = codegen::load(diagnostics);
  if (library == nullptr) {
    for (const Diagnostic& one : diagnostics.all()) {
      std::cerr << render(one, SourceFiles(), options.compile.style);
    }
    return 1;
  }
  std::vector<std::string> words{options.compile.file};
  words.insert(words.end(), options.program_arguments.begin(), options.program_arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return library->use_in_process(*objects, std::string(prefix_in_memory),
                                 [&](const codegen::Run& run) {
                                   return run(static_cast<int>(words.size()), argv.data(), nullptr);
                                 });
}

}  // namespace

int run_command(const RunOptions& options) {
  const std::vector<std::string>& arguments = options.program_arguments;
  if (!arguments.empty() && arguments.front() == serve_calls_flag) {
    return serve_interpreted_calls(options.compile, {arguments.begin() + 1, arguments.end()});
  }
  if (!unpack_standard_input()) return 1;
  return options.compile.target == Target::interpreter ? interpret(options)
                                                       : compile_and_run(options);
}

}  // namespace dagaz::driver
