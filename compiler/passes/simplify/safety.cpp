// Which operations may run where they did not run before.
#include <algorithm>

#include "ir/fields.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

namespace {

bool is_nonzero_constant(const Operand& operand) {
  return operand.is_constant() && operand.constant().bits != 0;
}

bool is_safe(const Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& one) {
    return is_safe_anywhere(one.operation);
  });
}

bool is_safe_scalar(const Scalar& scalar) {
  return !may_trap(scalar.op) || is_nonzero_constant(scalar.arguments[1]);
}

bool are_safe_scopes(const Operation& operation) {
  bool safe = true;
  for_each_scope(operation, [&](const Body& body) { safe = safe && is_safe(body); });
  return safe;
}

}  // namespace

bool is_safe_anywhere(const Operation& operation) {
  return match(
      operation, [](const Identity&) { return true; },
      [](const Scalar& scalar) { return is_safe_scalar(scalar); },
      [](const ArrayLiteral&) { return true; }, [](const Iota&) { return true; },
      [](const Replicate&) { return true; }, [](const Reshape&) { return true; },
      [](const Permute&) { return true; }, [](const Copy&) { return true; },
      [](const Concat&) { return true; }, [](const Scratch&) { return true; },
      [](const Index& index) { return index.indices.empty(); },
      [&](const Branch&) { return are_safe_scopes(operation); },
      [&](const Loop& loop) {
        return std::holds_alternative<ForForm>(loop.form) && are_safe_scopes(operation);
      },
      [&](const MapScanReduce&) { return are_safe_scopes(operation); },
      // Reads and writes without known bounds, failures, recursion, and what consumes.
      [](const auto&) { return false; });
}

}  // namespace dagaz::passes
