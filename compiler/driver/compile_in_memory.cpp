#include "driver/compile_in_memory.h"

#include <iostream>

#include "codegen/load.h"
#include "driver/pipeline.h"
#include "driver/program_cache.h"
#include "driver/progress.h"

namespace dagaz::driver {

std::optional<std::vector<std::string>> objects_of(const tree::Program& lowered,
                                                   Compilation& compilation) {
  const codegen::Library* library = codegen::load(compilation.diagnostics);
  if (library == nullptr) return std::nullopt;
  codegen::Options options;
  options.prefix = prefix_in_memory;
  options.cpu = compilation.options.cpu;
  options.gpu = compilation.options.gpu;
  options.optimisation = compilation.options.optimisation;
  options.executable = true;  // no C interface is needed
  const PassTimer timer(compilation.times, "codegen");
  codegen::Artifacts artifacts =
      library->generate(lowered, compilation.files, options, codegen::want_object);
  if (artifacts.problem.empty()) return std::move(artifacts.objects);
  compilation.diagnostics.report(DiagnosticKind::io, Range{}, artifacts.problem);
  return std::nullopt;
}

static std::optional<std::vector<std::string>> compile(Compilation& compilation) {
  const Progress progress(compilation.options.file);
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  if (!program) return std::nullopt;
  const std::optional<tree::Program> lowered =
      lower(std::move(*program), pass_context(compilation));
  return lowered ? objects_of(*lowered, compilation) : std::nullopt;
}

std::optional<std::vector<std::string>> compile_in_memory(const CompileOptions& options) {
  Compilation compilation(options);
  ProgramCache cache(options, PartsAre::objects, prefix_in_memory, compilation.diagnostics);
  if (compilation.diagnostics.has_errors()) {
    report(compilation);
    return std::nullopt;
  }
  if (std::optional<CompiledProgram> kept = cache.find()) {
    std::cerr << kept->messages;
    return std::move(kept->parts);
  }
  compilation.options.read = cache.reader();
  std::optional<std::vector<std::string>> objects = compile(compilation);
  const Report said = report_of(compilation);
  std::cerr << said.text;
  if (!objects || said.failed) return std::nullopt;
  cache.keep({said.text, *objects});
  return objects;
}

}  // namespace dagaz::driver
