// The top of elaboration: all declarations in order, then every entry point.
#include "elaborate/elaborate.h"

#include "elaborate/elaborator.h"
#include "elaborate/entry_points.h"
#include "ir/traces.h"

namespace dagaz::elaborate {

Elaborator::Elaborator(const check::CheckedProgram& checked, const SourceFiles& sources,
                       NameTable& name_table, Diagnostics& sink, Safety safety)
    : Emission(sources, sink),
      program(checked),
      symbols(name_table),
      ignores_unsafe(safety == Safety::always),
      constants(*this),
      called_functions(*this) {
  root = arena.frame(nullptr);
}

ir::ParallelProgram Elaborator::run(const Derivatives& derivatives) {
  try {
    for (const ast::File& file : program.program->files) {
      for (const ast::Declaration* declaration : file.declarations) {
        evaluate_declaration(declaration, root);
      }
    }
    share_entry_points(*this);
    for (const check::EntryPoint& entry : program.entries) elaborate_entry(*this, entry);
    add_derivatives(*this, derivatives);
    constants.finish();
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
