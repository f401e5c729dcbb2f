// See print_typed.h.
#include "check/print_typed.h"

#include "check/check.h"
#include "check/context.h"
#include "check/declarations.h"
#include "check/print_type.h"
#include "syntax/ast_print.h"

namespace dagaz::check {

std::string check_and_print(ast::Program& program, NameTable& names, Diagnostics& diagnostics) {
  CheckedProgram checked;
  checked.program = &program;
  Context context(program, names, diagnostics, checked);
  Declarations(context).check_program();
  if (diagnostics.has_errors()) return "";
  const ast::Notes notes{[&](const Type* type) { return print_type(context, type); },
                         [&](const Scheme* scheme) { return print_scheme(context, *scheme); }};
  return ast::print(program.files.back(), names, notes);
}

}  // namespace dagaz::check
