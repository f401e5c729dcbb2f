// Arrays that need no memory.
//
// Arrays of a few elements become scalars: they need no loops and no tests of indices, and what is
// computed of them is simplified as scalars are.  Two steps, each an equation between small arrays
// and literals of their elements: operations on small arrays are unrolled (unroll.cpp); loops,
// branches and operators hand on elements (split.cpp, operators.cpp).  Large arrays that were put
// together to be read once are read where they come from (read_parts.cpp).
//
// Simplification afterwards reads elements of literals and views, and removes what nobody needs in
// memory.  After fusion and differentiation, which see more in arrays than in scalars; before
// flattening, so that host code and the threads of parallel operations profit alike.  On a GPU host
// code does not take up what lies in the device's memory (residence.h).
#include "passes/passes.h"
#include "passes/scalarise/read_parts.h"
#include "passes/scalarise/split.h"
#include "passes/scalarise/unroll.h"

namespace dagaz::passes {

using namespace scalarising;  // NOLINT: the pass itself

static bool has_small_arrays(const ir::Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_small(names.type(ir::NameId(i)))) return true;
  }
  return false;
}

bool scalarise(ir::ParallelProgram& program, FlattenTarget target, const Tunables& tunables) {
  const bool has_small = has_small_arrays(program.program.names);
  bool changed = false;
  for (ir::Function& function : program.program.functions) {
    changed |= read_parts(function, program.program);
    if (!has_small) continue;
    changed |= unroll(function, program.program, target, tunables);
    changed |= split(function, program.program.names, target);
  }
  return changed;
}

}  // namespace dagaz::passes
