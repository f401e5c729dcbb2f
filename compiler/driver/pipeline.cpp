// The pipeline as lists.  Each names rows of the table of passes (passes/registry.cpp), which
// says what a pass needs before it and why it stands there.
#include "driver/pipeline.h"

#include "driver/read_plan.h"
#include "driver/tuning.h"
#include "driver/rolled_loops.h"
#include "emit/lower.h"
#include "memory/report.h"
#include "plan/plan.h"

namespace dagaz::driver {

namespace {

using ir::ParallelProgram;
constexpr Runs if_changed = Runs::if_changed;

constexpr Step until_fused[] = {
    {"choose-by-device"},
    {"inline-functions"},
    {"sequence-accumulating-calls"},
    {"simplify"},
    {"clamp-sizes"},
    {"simplify"},
    {"common-subexpressions"},
    {"fuse"},
    {"slice-before-maps"},
    {"simplify"},
    {"common-subexpressions"},
    {"fuse"},
    {"simplify"},
    {"common-subexpressions"},
    {"split-indices"},
    {"lift-products"},
    {"batch-loops"},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"fuse", if_changed},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"eliminate-dead-code"},
};

constexpr Step until_optimised[] = {
    {"differentiate"},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"fuse", if_changed},
    {"slice-before-maps", if_changed},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"fuse", if_changed},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"eliminate-dead-code", if_changed},
    // What changed places, and the maps that additions became, may be fused and share values.
    {"interchange"},
    {"scatter-to-gather"},
    {"share-sums"},
    {"make-histograms"},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"fuse", if_changed},
    {"slice-before-maps", if_changed},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"fuse", if_changed},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"eliminate-dead-code", if_changed},
    // From here on nothing is fused.
    {"save-values"},
    {"eliminate-dead-code", if_changed},
    {"rematerialise"},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"eliminate-dead-code", if_changed},
    {"avoid-copies"},
    {"simplify", if_changed},
    {"eliminate-dead-code", if_changed},
};

constexpr Step until_flat[] = {
    {"scalarise"},
    {"simplify", if_changed},
    {"common-subexpressions", if_changed},
    {"eliminate-dead-code", if_changed},
    {"flatten"},
    {"fold-scans"},
    {"drop-scanned"},
    {"move-to-sides"},
};

constexpr Step for_ranks[] = {{"distribute"}};

constexpr Step after_ranks[] = {{"bin-elements"}, {"compute-where-read"}, {"wrap-indices"}};

}  // namespace

ParallelProgram optimise(ParallelProgram program, const PassContext& context, Until until) {
  run_steps(context, until_fused, program.program);
  if (context.options.optimisation > 0) {
    warn_of_rolled_loops(program.program, context.diagnostics);
  }
  if (until == Until::fused) return program;
  run_steps(context, until_optimised, program.program);
  return program;
}

ir::FlatProgram flatten(ParallelProgram program, const PassContext& context) {
  run_steps(context, until_flat, program.program);
  if (context.options.ranks) run_steps(context, for_ranks, program.program);
  run_steps(context, after_ranks, program.program);
  return ir::FlatProgram{std::move(program.program)};
}

static plan::Device device_of(const PassContext& context) {
  return context.options.target == Target::cpu ? plan::Device::cpu : plan::Device::gpu;
}

std::optional<ir::PlannedProgram> plan(ir::FlatProgram program, const PassContext& context) {
  plan::PlanOptions options;
  options.seed = context.options.plan_seed;
  std::optional<ir::PlanText> wanted;
  const std::string& path = context.options.plan;
  if (!path.empty()) {
    wanted = read_plan(path, program.program.names, context.diagnostics);
    if (!wanted) return std::nullopt;
    options.wanted = &*wanted;
  }
  std::vector<std::string> refused;
  options.device = device_of(context);
  options.only_pointwise = context.options.optimisation == 0;
  options.target = plan::target_named(context.options.cpu);
  options.target.gpu = plan::capability_named(context.options.gpu);
  options.target.rounds_factors = context.options.tf32;
  options.target.tunables = tunables_of(context.options, context.diagnostics).plan;
  if (context.diagnostics.has_errors()) return std::nullopt;
  const Doing doing("plan");
  ir::PlannedProgram planned = [&] {
    const PassTimer timer(context.times, "plan");
    return plan::plan(std::move(program), options, &refused);
  }();
  for (const std::string& one : refused) {
    context.diagnostics.report(DiagnosticKind::io, Range{}, "`" + path + "`: " + one);
  }
  if (!refused.empty()) return std::nullopt;
  if (context.options.verify) verify_made_by("planning", planned.program, ir::Stage::flat);
  if (context.options.memory_report && context.memory_report != nullptr) {
    *context.memory_report = memory::report(planned);
  }
  return planned;
}

std::vector<std::string_view> optional_passes() {
  std::vector<std::string_view> names;
  for (const std::span<const Step> steps :
       {std::span<const Step>(until_fused), std::span<const Step>(until_optimised),
        std::span<const Step>(until_flat), std::span<const Step>(after_ranks)}) {
    for (const Step& step : steps) {
      if (passes::find_pass(step.pass)->need == passes::Need::optional) names.push_back(step.pass);
    }
  }
  return names;
}

std::optional<tree::Program> lower(ir::FlatProgram program, const PassContext& context) {
  const Target to = context.options.target;
  const tree::Target target = to == Target::cpu    ? tree::Target::cpu
                              : to == Target::cuda ? tree::Target::cuda
                                                   : tree::Target::sim;
  std::optional<ir::PlannedProgram> planned = plan(std::move(program), context);
  if (!planned) return std::nullopt;
  const Doing doing("lowering");
  std::optional<tree::Program> lowered;
  {
    const PassTimer timer(context.times, "lower");
    lowered = emit::lower(std::move(*planned), target, context.diagnostics);
  }
  if (lowered && context.options.verify) verify_made_by("lowering", *lowered);
  return lowered;
}

}  // namespace dagaz::driver
