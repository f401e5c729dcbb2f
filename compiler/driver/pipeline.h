// The pipeline: what runs when.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "driver/pass_manager.h"
#include "ir/program.h"
#include "tree/tree.h"

namespace dagaz::driver {

/// How far a program on arrays is optimised.
enum class Until {
  fused,     // simplified and fused: what differentiation starts from
  optimised  // without derivatives, all optimised
};

/// The passes on arrays; without optimisation, those that are required.
ir::ParallelProgram optimise(ir::ParallelProgram program, const PassContext& context,
                             Until until = Until::optimised);
/// Small arrays to scalars, then to segmented operations, for a CPU or a GPU target.
ir::FlatProgram flatten(ir::ParallelProgram program, const PassContext& context);
/// How each segmented operation runs.
/// Nothing (and a diagnostic) where schedules that were asked for cannot be followed.
std::optional<ir::PlannedProgram> plan(ir::FlatProgram program, const PassContext& context);
/// The optional passes at their places in the pipeline, in order: what `pass_limit` counts.
std::vector<std::string_view> optional_passes();
/// As instructions; nothing (and a diagnostic) for what a target does not support.
std::optional<tree::Program> lower(ir::FlatProgram program, const PassContext& context);

}  // namespace dagaz::driver
