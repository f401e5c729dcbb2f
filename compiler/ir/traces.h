// Traces: what a program prints while it runs.
//
// A trace is a call of a function without body or results whose name says what is printed:
//
//   trace LABEL: TYPE (LEAVES)        trace inner: (f64@0, []i32@1) (f64, []i32)
//
// TYPE describes the value in the form of runtime/traces.h, LEAVES are the types of its parts.  The
// parameters are the sizes of all leaves that are arrays, one for each dimension, and then the
// leaves.  A function that has traces, or calls one that does, has a name that says so once
// elaboration is done, so that its calls count as traces, too.
//
// Passes know that calls are neither merged, nor moved, nor made where they were not; that
// operations around a trace are not evaluated twice, nor left out, is what `has_trace` is asked
// for.  Printing is the interpreter's and code generation's; whoever copies the function adds to
// its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

struct TracedLeaf {
  ScalarType element;
  std::size_t rank;
};
struct Traced {
  std::string label;
  std::string type;
  std::vector<TracedLeaf> leaves;
};

/// Whether a function prints, or an operation calls one.
bool is_trace(std::string_view function);
bool is_trace(const Operation& operation);
std::string trace_function(const Traced& traced);
/// What the function prints.
Traced traced_by(std::string_view function);

/// Whether the function is no trace itself, but prints when it is called.
bool is_named_as_printing(std::string_view function);
/// The name of a copy that does not.
std::string quiet_name(std::string_view function);
/// Gives the functions that print, and are called, names that say so.
void name_printing_functions(Program& program);

/// Whether it calls a function that prints; whether it does, or has such a call inside.
bool prints(const Operation& operation);
bool has_trace(const Operation& operation);
bool has_trace(const Body& body);
bool has_trace(const Program& program);

}  // namespace dagaz::ir
