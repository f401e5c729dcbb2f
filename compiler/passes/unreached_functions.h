// Functions that no entry point reaches.
#pragma once

#include "ir/fields.h"
#include "ir/program.h"

namespace dagaz::passes {

/// Each call in `body`, by the name of the function.
template <typename Visit>
void each_call(const ir::Body& body, const Visit& visit) {
  for (const ir::Statement& statement : body.statements) {
    if (const auto* call = std::get_if<ir::Call>(&statement.operation)) visit(call->function);
    ir::for_each_scope(statement.operation,
                       [&](const ir::Body& inner) { each_call(inner, visit); });
  }
}

/// Removes them, if there are entry points; whether there were any.
bool remove_unreached_functions(ir::Program& program);

}  // namespace dagaz::passes
