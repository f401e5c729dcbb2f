#include "driver/compile_in_memory.h"

#include <iostream>
#include <utility>

#include "driver/program_cache.h"
#include "driver/progress.h"
#include "driver/versions.h"

namespace dagaz::driver {

std::optional<std::vector<std::string>> objects_of(ir::ParallelProgram program,
                                                   Compilation& compilation) {
  codegen::Options options;
  options.prefix = prefix_in_memory;
  options.executable = true;  // no C interface is needed
  std::optional<codegen::Artifacts> artifacts =
      compile_versions(std::move(program), compilation, options, codegen::want_object);
  if (!artifacts) return std::nullopt;
  return std::move(artifacts->objects);
}

static std::optional<std::vector<std::string>> compile(Compilation& compilation) {
  const Progress progress(compilation.options.file);
  std::optional<ir::ParallelProgram> program = front_end(compilation);
  if (!program) return std::nullopt;
  return objects_of(std::move(*program), compilation);
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
