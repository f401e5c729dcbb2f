#include "plan/cost.h"

#include <algorithm>

#include "ir/cost.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::ScalarOp;

std::int64_t cost_of_scalar(ScalarOp op) { return ir::cost_of(op); }

bool is_arithmetic(const ir::Body& body, const ir::Names& names) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const ir::Statement& one) {
    if (as<ir::Index>(one.operation)) return names.type(one.results[0].name).is_scalar();
    return as<ir::Scalar>(one.operation) || as<ir::Accumulate>(one.operation);
  });
}

// What costs less takes no longer than to store its result.
bool is_worth_a_block(const ir::Body& body, const ir::Names& names, const Tunables& tunables) {
  if (tunables.held_blocks == 0 || !is_arithmetic(body, names)) return false;
  std::int64_t operations = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    if (scalar != nullptr) operations += cost_of_scalar(scalar->op);
  }
  return operations >= tunables.held_operations;
}

}  // namespace dagaz::plan
