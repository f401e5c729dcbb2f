#include "driver/pipeline.h"

#include "driver/rolled_loops.h"
#include "imperative/lower.h"
#include "plan/plan.h"

namespace dagaz::driver {

namespace {

using ir::ParallelProgram;
using Pass = ParallelProgram (*)(ParallelProgram);

ParallelProgram run(const PassContext& context, const char* name, Pass pass,
                    ParallelProgram program) {
  return run_pass<ParallelProgram, ParallelProgram>(context, name, ir::Stage::parallel, pass,
                                                    std::move(program));
}

// Runs a pass that says whether it changed anything.
bool changes(ParallelProgram& program, const PassContext& context, const char* name,
             bool (*pass)(ParallelProgram&)) {
  bool changed = false;
  program = run_pass<ParallelProgram, ParallelProgram>(
      context, name, ir::Stage::parallel,
      [&](ParallelProgram p) {
        changed = pass(p);
        return p;
      },
      std::move(program));
  return changed;
}

// Fusion makes work for simplification (projections of fused lambdas), and simplification makes
// room for fusion (copies and unused results are gone): two rounds reach almost everything.  What
// reads slices of what maps make is left for the second.
ParallelProgram simplify_and_fuse(ParallelProgram program, const PassContext& context) {
  program = run(context, "simplify", passes::simplify, std::move(program));
  program = run(context, "cse", passes::common_subexpressions, std::move(program));
  for (int round = 0; round < 2; ++round) {
    program = run(context, "fuse", passes::fuse, std::move(program));
    if (round == 0) {
      changes(program, context, "slice-before-maps", passes::slice_before_maps);
    }
    program = run(context, "simplify", passes::simplify, std::move(program));
    program = run(context, "cse", passes::common_subexpressions, std::move(program));
  }
  return run(context, "dead-code", passes::eliminate_dead_code, std::move(program));
}

}  // namespace

// Neither differentiation nor code generation hands accumulators to functions.
static ParallelProgram sequence_calls(ParallelProgram program, const PassContext& context) {
  return run(context, "sequence-calls", passes::sequence_accumulating_calls, std::move(program));
}

ParallelProgram optimise_before_derivatives(ParallelProgram program, const PassContext& context) {
  program = run(context, "inline", passes::inline_functions, std::move(program));
  program = sequence_calls(std::move(program), context);
  program = run(context, "simplify", passes::simplify, std::move(program));
  changes(program, context, "clamp-sizes", passes::clamp_sizes);
  return simplify_and_fuse(std::move(program), context);
}

// A GPU needs more elements at a time than a CPU, and none in order.
static passes::AdOptions derivative_options(const CompileOptions& compile) {
  passes::AdOptions options;
  const bool gpu = compile.target == Target::cuda || compile.target == Target::sim;
  if (gpu) options.least_chunk = std::int64_t{1} << 17;
  options.in_order = !gpu;
  return options;
}

ParallelProgram differentiate(ParallelProgram program, const PassContext& context,
                              const CompileOptions& compile, passes::AdReport* report) {
  return run_pass<ParallelProgram, ParallelProgram>(
      context, "ad", ir::Stage::parallel,
      [&](ParallelProgram p) {
        return passes::differentiate(std::move(p), report, derivative_options(compile));
      },
      std::move(program));
}

// Only now nests of maps are what they will be.  What interchanged ones share then moves out, and
// arrays that histograms are handed as they are need no copies.  Additions at fixed distances would be
// histograms as well.
ParallelProgram optimise_after_derivatives(ParallelProgram program, const PassContext& context) {
  program = simplify_and_fuse(std::move(program), context);
  const bool interchanged = changes(program, context, "interchange", passes::interchange);
  const bool gathered = changes(program, context, "gather-additions", passes::gather_additions);
  const bool added = changes(program, context, "histograms", passes::make_histograms);
  if (interchanged || gathered || added) program = simplify_and_fuse(std::move(program), context);
  return program;
}

// Last, when no values are computed twice that fusion could bring together.
static ParallelProgram keep_expensive_values(ParallelProgram program, const PassContext& context,
                                             passes::AdReport* report) {
  bool changed = false;
  program = run_pass<ParallelProgram, ParallelProgram>(
      context, "keep-values", ir::Stage::parallel,
      [&](ParallelProgram p) {
        changed = passes::keep_expensive_values(p, report);
        return p;
      },
      std::move(program));
  if (!changed) return program;
  return run(context, "dead-code", passes::eliminate_dead_code, std::move(program));
}

// After the above, for what is kept is not to be computed again.
static ParallelProgram compute_where_read(ParallelProgram program, const PassContext& context) {
  if (!changes(program, context, "where-read", passes::compute_where_read)) return program;
  program = run(context, "simplify", passes::simplify, std::move(program));
  program = run(context, "cse", passes::common_subexpressions, std::move(program));
  return run(context, "dead-code", passes::eliminate_dead_code, std::move(program));
}

static ParallelProgram avoid_copies(ParallelProgram program, const PassContext& context) {
  if (!changes(program, context, "avoid-copies", passes::avoid_copies)) return program;
  program = run(context, "simplify", passes::simplify, std::move(program));
  return run(context, "dead-code", passes::eliminate_dead_code, std::move(program));
}

ParallelProgram optimise(ParallelProgram program, const PassContext& context,
                         const CompileOptions& compile, passes::AdReport* report) {
  if (compile.optimisation == 0) {
    return differentiate(sequence_calls(std::move(program), context), context, compile, report);
  }
  program = optimise_before_derivatives(std::move(program), context);
  warn_of_rolled_loops(program.program, context.diagnostics);
  if (passes::has_derivatives(program)) {
    program = differentiate(std::move(program), context, compile, report);
    program = optimise_after_derivatives(std::move(program), context);
  }
  if (compile.target == Target::cpu) {
    program = keep_expensive_values(std::move(program), context, report);
  }
  return avoid_copies(compute_where_read(std::move(program), context), context);
}

// Scalarisation leaves views and literals whose elements are read, for simplification, but nothing
// new to fuse.
static ParallelProgram scalarise(ParallelProgram program, const PassContext& context,
                                 passes::FlattenTarget target) {
  bool changed = false;
  program = run_pass<ParallelProgram, ParallelProgram>(
      context, "scalarise", ir::Stage::parallel,
      [&](ParallelProgram p) {
        changed = passes::scalarise(p, target);
        return p;
      },
      std::move(program));
  if (!changed) return program;
  program = run(context, "simplify", passes::simplify, std::move(program));
  program = run(context, "cse", passes::common_subexpressions, std::move(program));
  return run(context, "dead-code", passes::eliminate_dead_code, std::move(program));
}

ir::FlatProgram flatten(ParallelProgram program, const PassContext& context,
                        const CompileOptions& compile) {
  const passes::FlattenOptions options{compile.target == Target::cpu ? passes::FlattenTarget::cpu
                                                                     : passes::FlattenTarget::gpu};
  if (compile.optimisation > 0) program = scalarise(std::move(program), context, options.target);
  return run_pass<ir::FlatProgram, ParallelProgram>(
      context, "flatten", ir::Stage::flat,
      [&options](ParallelProgram p) { return passes::flatten(std::move(p), options); },
      std::move(program));
}

ir::PlannedProgram plan(ir::FlatProgram program, const PassContext& context,
                        const CompileOptions& compile) {
  plan::PlanOptions options;
  if (compile.target != Target::cpu) options.device = plan::Device::gpu;
  options.only_pointwise = compile.optimisation == 0;
  return run_pass<ir::PlannedProgram, ir::FlatProgram>(
      context, "plan", ir::Stage::flat,
      [&options](ir::FlatProgram p) { return plan::plan(std::move(p), options); },
      std::move(program));
}

std::optional<imperative::Program> lower(ParallelProgram program, const PassContext& context,
                                         const CompileOptions& options,
                                         Diagnostics& diagnostics) {
  program = optimise(std::move(program), context, options, nullptr);
  if (diagnostics.has_errors()) return std::nullopt;
  ir::FlatProgram flat = flatten(std::move(program), context, options);
  const imperative::Target target = options.target == Target::cpu    ? imperative::Target::cpu
                                    : options.target == Target::cuda ? imperative::Target::cuda
                                                                     : imperative::Target::sim;
  ir::PlannedProgram planned = plan(std::move(flat), context, options);
  const Doing doing("lowering");
  const PassTimer timer(context.times, "lower");
  return imperative::lower(std::move(planned), target, diagnostics);
}

}  // namespace dagaz::driver
