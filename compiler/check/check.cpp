// See check.h.
#include "check/check.h"

#include "check/context.h"
#include "check/declarations.h"

namespace dagaz::check {

CheckedProgram check_program(ast::Program& program, NameTable& names, Diagnostics& diagnostics) {
  CheckedProgram result;
  result.program = &program;
  Context context(program, names, diagnostics, result);
  Declarations(context).check_program();
  return result;
}

}  // namespace dagaz::check
