// See check.h.
#include "check/check.h"

#include "check/consumption.h"
#include "check/context.h"
#include "check/declarations.h"
#include "check/exhaustiveness.h"

namespace dagaz::check {

CheckedProgram check_program(ast::Program& program, NameTable& names, Diagnostics& diagnostics) {
  CheckedProgram result;
  result.program = &program;
  Context context(program, names, diagnostics, result);
  Declarations(context).check_program();
  if (!diagnostics.has_errors()) check_exhaustiveness(program, names, diagnostics);
  if (!diagnostics.has_errors()) check_consumption(program, result, names, diagnostics);
  return result;
}

}  // namespace dagaz::check
