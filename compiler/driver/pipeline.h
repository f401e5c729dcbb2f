// The pass list: what runs when, and why there.
#pragma once

#include <optional>

#include "driver/options.h"
#include "driver/pass_manager.h"
#include "imperative/imperative.h"
#include "ir/program.h"
#include "passes/passes.h"

namespace dagaz::driver {

/// Simplification and a first fusion: the form that differentiation starts from.
ir::ParallelProgram optimise_before_derivatives(ir::ParallelProgram program,
                                                const PassContext& context);
/// Removes every derivative; `report` may be null.
ir::ParallelProgram differentiate(ir::ParallelProgram program, const PassContext& context,
                                  const CompileOptions& compile, passes::AdReport* report);
/// Simplification and fusion of what differentiation made.
ir::ParallelProgram optimise_after_derivatives(ir::ParallelProgram program,
                                               const PassContext& context);
/// The three above; without optimisation only the derivatives are removed.
ir::ParallelProgram optimise(ir::ParallelProgram program, const PassContext& context,
                             const CompileOptions& compile, passes::AdReport* report);

/// Small arrays to scalars, then to segmented operations, for a CPU or a GPU target.
ir::FlatProgram flatten(ir::ParallelProgram program, const PassContext& context,
                        const CompileOptions& compile);
/// A schedule for each parallel operation.
ir::PlannedProgram plan(ir::FlatProgram program, const PassContext& context,
                        const CompileOptions& compile);
/// Everything after the front end; nothing (and a diagnostic) for what a target does not support.
std::optional<imperative::Program> lower(ir::ParallelProgram program, const PassContext& context,
                                         const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace dagaz::driver
