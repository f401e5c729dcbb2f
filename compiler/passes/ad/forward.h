// Forward mode: next to every value, its tangents along up to 64 directions.
//
// Code is emitted once with all directions side by side, so that they share the primal.  Operators
// of reductions, scans and histograms become operators on (value, tangents); sums keep their own,
// cheaper, operator per tangent.
//
// The rules are free functions, one overload for each operation (rules/forward_rules.h).  They
// share the context `Forward`, their first parameter, `f`, and emit nested scopes through it.
#pragma once

#include <unordered_map>
#include <vector>

#include "passes/ad/environment.h"
#include "passes/ad/tangents.h"

namespace dagaz::passes::ad {

/// What the rules of forward mode know and change.
struct Forward {
  /// Where code is emitted, and what stands for names of the original code.
  Environment& environment;
  Tangents tangents;
  /// Values of original names at the outermost level of the statements, from outside: what follows
  /// uses them, and the code that computes them again is dead unless tangents need its parts.
  std::unordered_map<ir::NameId, ir::Operand> provided = {};

  /// With tangents along so many directions.
  Forward(Environment& around, int directions)
      : environment(around), tangents(around, directions) {}
};

/// Emits the statements and their tangents, which depend on the names that were seeded.
void differentiate_forward(Forward& f, const std::vector<ir::Statement>& statements);

/// The same for statements of a nested scope.
void emit_dual(Forward& f, const std::vector<ir::Statement>& statements);
/// A body with the tangents of its results in the slots as further results.
ir::Body dual_body(Forward& f, const ir::Body& body, const Slots& slots);

}  // namespace dagaz::passes::ad
