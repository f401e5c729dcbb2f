// Uniqueness: after an array has been consumed (updated in place, or passed to a parameter `*t`),
// neither it nor anything that may share its memory can be used.  Runs on the typed tree.
#pragma once

#include "check/check.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// Which files to check.  The standard library says what all its functions return, so a program
/// can be checked without looking into them; Dagaz's own tests check it too.
enum class ConsumptionScope { program, program_and_library };

/// Reports every use of a consumed value and every promise of uniqueness that is not kept.
void check_consumption(const ast::Program& program, const CheckedProgram& checked,
                       const NameTable& names, Diagnostics& diagnostics,
                       ConsumptionScope scope = ConsumptionScope::program);

}  // namespace dagaz::check
