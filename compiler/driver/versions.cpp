#include "driver/versions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "codegen/load.h"
#include "driver/gpu_assembler.h"
#include "driver/pipeline.h"
#include "driver/tuning.h"

namespace dagaz::driver {

namespace {

// In the order in which the runtime prefers them, the last first.
constexpr Target by_need[] = {Target::cpu, Target::sim, Target::cuda};

bool asks_for(const CompileOptions& options, Target target) {
  const std::vector<Target>& further = options.further_targets;
  return options.target == target ||
         std::find(further.begin(), further.end(), target) != further.end();
}

std::vector<std::string> processors_of(const CompileOptions& options, Target target) {
  if (options.cpu != cpu_dispatch) return {options.cpu};
#ifdef __x86_64__
  // https://gitlab.com/x86-psABIs/x86-64-ABI, "Micro-Architecture Levels".
  if (target == Target::cpu) return {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
#endif
  return {"generic"};
}

// What tells a version's symbols from those of the others.
std::string suffix_of(const Version& version) {
  return version.target == Target::cpu ? version.processor : std::string(name_of(version.target));
}

std::optional<ir::FlatProgram> flattened(const ir::ParallelProgram& program,
                                         const PassContext& context) {
  ir::ParallelProgram optimised = optimise(program, context);
  if (context.diagnostics.has_errors()) return std::nullopt;
  return flatten(std::move(optimised), context);
}

std::optional<codegen::Artifacts> generated(const ir::FlatProgram& program,
                                            const PassContext& context, const SourceFiles& files,
                                            const codegen::Options& options, unsigned want) {
  const std::optional<tree::Program> lowered = lower(program, context);
  const codegen::Library* library = lowered ? codegen::load(context.diagnostics) : nullptr;
  if (library == nullptr) return std::nullopt;
  const PassTimer timer(context.times, "codegen");
  codegen::Artifacts made = library->generate(*lowered, files, options, want);
  if (made.problem.empty()) return made;
  context.diagnostics.report(DiagnosticKind::io, Range{}, made.problem);
  return std::nullopt;
}

}  // namespace

std::vector<Version> versions_of(const CompileOptions& options) {
  std::vector<Version> versions;
  for (const Target target : by_need) {
    if (!asks_for(options, target)) continue;
    for (std::string& processor : processors_of(options, target)) {
      versions.push_back({target, std::move(processor)});
    }
  }
  return versions;
}

Target linked_target(const CompileOptions& options) {
  return asks_for(options, Target::sim) ? Target::sim : options.target;
}

std::optional<codegen::Artifacts> compile_versions(ir::ParallelProgram program,
                                                   Compilation& compilation,
                                                   codegen::Options options, unsigned want) {
  Diagnostics& diagnostics = compilation.diagnostics;
  const std::vector<Version> versions = versions_of(compilation.options);
  for (std::size_t i = 1; i < versions.size(); ++i) {
    options.versions.push_back(suffix_of(versions[i]));
  }
  options.tuned = tuned_parameters_of(compilation.options, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  options.tunables = tunables_of(compilation.options, diagnostics).code;
  options.gpu = compilation.options.gpu;
  if (!compilation.options.gpu_code.empty()) {
    options.assemble = [&](const std::string& ptx, std::string& problem) {
      return assembled(ptx, compilation.options.gpu_code, compilation.options.ptxas, problem);
    };
  }
  options.optimisation = compilation.options.optimisation;
  codegen::Artifacts all;
  std::optional<ir::FlatProgram> flat;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const bool first = i == 0;
    CompileOptions own = compilation.options;
    own.target = versions[i].target;
    own.cpu = options.cpu = versions[i].processor;
    if (!first) options.version = suffix_of(versions[i]);
    const PassContext context{own,         compilation.times,
                              diagnostics, compilation.history,
                              nullptr,     first ? &compilation.memory_report : nullptr};
    const Diagnostics::Mark before = diagnostics.mark();
    if (first || own.target != versions[i - 1].target) flat = flattened(program, context);
    if (!flat) return std::nullopt;
    std::optional<codegen::Artifacts> made = generated(*flat, context, compilation.files, options,
                                                       first ? want : want & codegen::want_object);
    if (!made) return std::nullopt;
    if (first) {
      all = std::move(*made);
    } else {
      std::move(made->objects.begin(), made->objects.end(), std::back_inserter(all.objects));
      // What is said of one version is said of all.
      diagnostics.undo(before);
    }
    options.versions.clear();
  }
  return all;
}

}  // namespace dagaz::driver
