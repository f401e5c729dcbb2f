// The top of elaboration: all declarations in order, then every entry point.
#include "elaborate/elaborate.h"

#include "elaborate/elaborator.h"
#include "ir/traces.h"

namespace dagaz::elaborate {

Elaborator::Elaborator(const check::CheckedProgram& checked, const SourceFiles& sources,
                       NameTable& name_table, Diagnostics& sink, Safety safety)
    : Emission(sources, sink),
      program(checked),
      symbols(name_table),
      ignores_unsafe(safety == Safety::always),
      globals{FunctionContext{ir::Builder(ir_program.names)}} {
  root = arena.frame(nullptr);
}

ir::ParallelProgram Elaborator::run(const Derivatives& derivatives) {
  try {
    for (const ast::File& file : program.program->files) {
      for (const ast::Declaration* declaration : file.declarations) {
        evaluate_declaration(declaration, root);
      }
    }
    share_entry_points();
    for (const check::EntryPoint& entry : program.entries) {
      elaborate_entry(entry, [&](const Closure& closure, Frame* frame,
                                 const std::vector<ValueRef>& arguments) {
        return apply_entry(closure, frame, arguments);
      });
    }
    add_derivatives(derivatives);
    finish_globals();
    ir::name_printing_functions(ir_program);
  } catch (const Abandoned&) {
    // The diagnostic has been reported.
  }
  return {std::move(ir_program)};
}

ir::ParallelProgram elaborate(const check::CheckedProgram& program, const SourceFiles& files,
                              NameTable& names, Diagnostics& diagnostics, Safety safety,
                              const Derivatives& derivatives) {
  const Doing doing("elaboration");
  return Elaborator(program, files, names, diagnostics, safety).run(derivatives);
}

}  // namespace dagaz::elaborate
