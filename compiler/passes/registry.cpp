// The table of passes by name.
#include "passes/registry.h"

#include "passes/passes.h"
#include "passes/scalarise/read_parts.h"

namespace dagaz::passes {

namespace {

using ir::FlatProgram;
using ir::ParallelProgram;
using ir::Program;
using ir::Stage;

template <ParallelProgram (*pass)(ParallelProgram)>
Program parallel(Program program) {
  return pass(ParallelProgram{std::move(program)}).program;
}
Program differentiated(Program program) {
  return differentiate(ParallelProgram{std::move(program)}, nullptr).program;
}
Program read_by_parts(Program program) {
  for (ir::Function& function : program.functions) scalarising::read_parts(function, program);
  return program;
}
/// A pass that says whether it changed anything.
template <bool (*pass)(ParallelProgram&)>
Program changed(Program program) {
  ParallelProgram result{std::move(program)};
  pass(result);
  return std::move(result.program);
}
bool keep_values(ParallelProgram& program) { return keep_expensive_values(program, nullptr); }
template <FlattenTarget target>
Program scalarised(Program program) {
  ParallelProgram result{std::move(program)};
  scalarise(result, target);
  return std::move(result.program);
}
template <FlattenTarget target>
Program flattened(Program program) {
  return flatten(ParallelProgram{std::move(program)}, FlattenOptions{target}).program;
}

}  // namespace

const std::vector<RegisteredPass>& registered_passes() {
  static const std::vector<RegisteredPass> passes = {
      {"dead-code", parallel<eliminate_dead_code>, Stage::parallel},
      {"cse", parallel<common_subexpressions>, Stage::parallel},
      {"clamp-sizes", changed<clamp_sizes>, Stage::parallel},
      {"simplify", parallel<simplify>, Stage::parallel},
      {"inline", parallel<inline_functions>, Stage::parallel},
      {"fuse", parallel<fuse>, Stage::parallel},
      {"slice-before-maps", changed<slice_before_maps>, Stage::parallel},
      {"interchange", changed<interchange>, Stage::parallel},
      {"keep-values", changed<keep_values>, Stage::parallel},
      {"where-read", changed<compute_where_read>, Stage::parallel},
      {"avoid-copies", changed<avoid_copies>, Stage::parallel},
      {"sequence-calls", parallel<sequence_accumulating_calls>, Stage::parallel},
      {"ad", differentiated, Stage::parallel},
      {"gather-additions", changed<gather_additions>, Stage::parallel},
      {"histograms", changed<make_histograms>, Stage::parallel},
      {"read-parts", read_by_parts, Stage::parallel},
      {"scalarise-cpu", scalarised<FlattenTarget::cpu>, Stage::parallel},
      {"scalarise-gpu", scalarised<FlattenTarget::gpu>, Stage::parallel},
      {"flatten-cpu", flattened<FlattenTarget::cpu>, Stage::flat},
      {"flatten-gpu", flattened<FlattenTarget::gpu>, Stage::flat},
  };
  return passes;
}

const RegisteredPass* find_pass(std::string_view name) {
  for (const RegisteredPass& pass : registered_passes()) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

}  // namespace dagaz::passes
