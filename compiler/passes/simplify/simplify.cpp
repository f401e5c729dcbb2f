// Simplification: rounds of the walk in simplifier.cpp, each followed by dead-code elimination,
// until nothing changes.
#include "passes/dead_code.h"
#include "passes/passes.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

namespace {

/// Nearly all functions settle after two or three rounds.
constexpr int most_rounds = 8;

}  // namespace

bool simplify(ir::ParallelProgram& parallel) {
  Program& program = parallel.program;
  bool changed = false;
  const bool differentiated_later = has_derivatives(parallel);
  for (Function& function : program.functions) {
    const Doing doing(function.name);
    if (eliminate_dead_code(function, program.names)) changed = true;
    for (int round = 0; round < most_rounds; ++round) {
      Simplifier simplifier(program, function, differentiated_later);
      simplifier.run(function);
      if (!simplifier.changed()) break;
      changed = true;
      eliminate_dead_code(function, program.names);
    }
  }
  return changed;
}

}  // namespace dagaz::passes
