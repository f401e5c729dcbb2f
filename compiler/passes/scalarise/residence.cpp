// Where the arrays of host code are.
#include "passes/scalarise/residence.h"

#include <algorithm>

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::passes::scalarising {

bool Residence::is_on_device(const Operand& operand) const {
  if (!operand.is_name() || !names_.type(operand.name()).is_array()) return false;
  return on_device_.contains(operand.name()) || !is_small(operand, names_);
}

bool Residence::makes_device_arrays(const Operation& operation) const {
  const auto of_operands = [&] {
    bool any = false;
    for_each_operand(operation, [&](const Operand& one) { any = any || is_on_device(one); });
    return any;
  };
  return match(
      operation, [&](const ArrayLiteral&) { return of_operands(); },
      [&](const Index&) { return of_operands(); }, [&](const Slice&) { return of_operands(); },
      [&](const Update&) { return of_operands(); }, [](const Iota&) { return false; },
      [&](const Replicate&) { return of_operands(); },
      [&](const Concat&) { return of_operands(); }, [&](const Reshape&) { return of_operands(); },
      [&](const Permute&) { return of_operands(); }, [&](const Copy&) { return of_operands(); },
      [&](const Identity&) { return of_operands(); }, [](const Scratch&) { return false; },
      // The rest is parallel, or made elsewhere.
      [](const auto&) { return true; });
}

void Residence::record(const Statement& statement) {
  if (const auto* branch = as<Branch>(statement.operation)) {
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      if (is_on_device(branch->then_body.results[k]) ||
          is_on_device(branch->else_body.results[k])) {
        on_device_.insert(statement.results[k].name);
      }
    }
  } else if (const auto* loop = as<Loop>(statement.operation)) {
    for (std::size_t k = 0; k < statement.results.size(); ++k) {
      if (is_on_device(loop->body.results[k])) on_device_.insert(statement.results[k].name);
    }
  } else if (makes_device_arrays(statement.operation)) {
    for (const Binder& result : statement.results) on_device_.insert(result.name);
  }
}

}  // namespace dagaz::passes::scalarising
