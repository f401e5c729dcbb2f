#include "plan/cost.h"

#include "support/match.h"

namespace dagaz::plan {

using ir::ScalarOp;

std::int64_t cost_of_scalar(ScalarOp op) {
  if (op < ScalarOp::sqrt) return op == ScalarOp::fpow ? 20 : 1;
  return op >= ScalarOp::fma ? 1 : 12;
}

// What costs less takes no longer than to store its result.
static constexpr std::int64_t worth_a_block = 8;

bool is_worth_a_block(const ir::Body& body, const ir::Names& names) {
  std::int64_t operations = 0;
  for (const ir::Statement& one : body.statements) {
    const bool reads = as<ir::Index>(one.operation) != nullptr &&
                       names.type(one.results[0].name).is_scalar();
    if (const auto* scalar = as<ir::Scalar>(one.operation)) {
      operations += cost_of_scalar(scalar->op);
    } else if (!reads && !as<ir::Accumulate>(one.operation)) {
      return false;
    }
  }
  return operations >= worth_a_block;
}

}  // namespace dagaz::plan
