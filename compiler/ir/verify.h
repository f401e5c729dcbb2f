// Well-formedness of IR programs, checked after every pass in tests and debug builds.
//
// Invariants:
//  1. Every name is bound exactly once in the program, and before its uses, in scope.
//  2. Operand types are what each operation asks for; lambdas have the right arity and types.
//  3. The types of results are those of types_of.
//  4. Sizes are i64 and in scope wherever the type is.
//  5. A consumed array, and what may alias it, is not used afterwards on any path.
//  6. Tokens are results of Assert; accumulators are used linearly.
//  7. Each operation is legal at the program's stage.
//  8. The numbers of schedules are in their ranges, and a schedule ends with a version without
//  guards.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

enum class Stage { parallel, flat };

/// One line per violation, with the statement; empty if the program is well-formed.
std::vector<std::string> verify(const Program& program, Stage stage);

}  // namespace dagaz::ir
