// Code that is evaluated again must not print again.
#pragma once

#include "ir/program.h"

namespace dagaz::passes {

/// Adds a copy without traces of each function that prints, for what `remove_traces` leaves.
void add_quiet_functions(ir::Program& program);

/// Removes all traces, but for those in the adjoint functions that a program gives itself, and
/// calls the copies of functions that print.
void remove_traces(ir::Body& body);

}  // namespace dagaz::passes
