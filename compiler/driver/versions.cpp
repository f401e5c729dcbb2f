#include "driver/versions.h"

#include <iterator>
#include <utility>

#include "codegen/load.h"
#include "driver/pipeline.h"

namespace dagaz::driver {

std::vector<std::string> processors_of(const CompileOptions& options) {
  if (options.cpu != cpu_dispatch) return {options.cpu};
#ifdef __x86_64__
  // https://gitlab.com/x86-psABIs/x86-64-ABI, "Micro-Architecture Levels".
  if (options.target == Target::cpu) return {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
#endif
  return {"generic"};
}

std::optional<codegen::Artifacts> compile_versions(ir::ParallelProgram program,
                                                   Compilation& compilation,
                                                   codegen::Options options, unsigned want) {
  const PassContext context = pass_context(compilation);
  program = optimise(std::move(program), context);
  if (compilation.diagnostics.has_errors()) return std::nullopt;
  const ir::FlatProgram flat = flatten(std::move(program), context);
  const codegen::Library* library = codegen::load(compilation.diagnostics);
  if (library == nullptr) return std::nullopt;
  const std::vector<std::string> processors = processors_of(compilation.options);
  options.versions.assign(std::next(processors.begin()), processors.end());
  options.gpu = compilation.options.gpu;
  options.optimisation = compilation.options.optimisation;
  std::optional<codegen::Artifacts> all;
  for (const std::string& processor : processors) {
    options.cpu = processor;
    if (all) options.version = processor;
    const auto lowered = lower(flat, processor, context);
    if (!lowered) return std::nullopt;
    const PassTimer timer(compilation.times, "codegen");
    codegen::Artifacts made =
        library->generate(*lowered, compilation.files, options,
                          all ? want & codegen::want_object : want);
    if (!made.problem.empty()) {
      compilation.diagnostics.report(DiagnosticKind::io, Range{}, made.problem);
      return std::nullopt;
    }
    if (all) {
      std::move(made.objects.begin(), made.objects.end(), std::back_inserter(all->objects));
    } else {
      all = std::move(made);
    }
    options.versions.clear();
  }
  return all;
}

}  // namespace dagaz::driver
