// The top of elaboration: all declarations in order, then every entry point.
#include "elaborate/elaborate.h"

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

Elaborator::Elaborator(const check::CheckedProgram& checked, const SourceFiles& sources,
                       NameTable& name_table, Diagnostics& sink, Safety safety)
    : program(checked),
      files(sources),
      symbols(name_table),
      diagnostics(sink),
      ignores_unsafe(safety == Safety::always),
      globals{FunctionContext{ir::Builder(ir_program.names)}} {
  root = arena.frame(nullptr);
}

ir::ParallelProgram Elaborator::run() {
  try {
    for (const ast::File& file : program.program->files) {
      for (const ast::Declaration* declaration : file.declarations) {
        evaluate_declaration(declaration, root);
      }
    }
    for (const check::EntryPoint& entry : program.entries) {
      const Doing doing(entry.name);
      try {
        elaborate_entry(entry);
      } catch (const UnknownSize& unknown) {
        diagnostics.report(DiagnosticKind::unsupported, unknown.range,
                           "a size that is needed here is not known");
      }
    }
    finish_globals();
  } catch (const Abandoned&) {
    // The diagnostic has been reported.
  }
  return {std::move(ir_program)};
}

ir::ParallelProgram elaborate(const check::CheckedProgram& program, const SourceFiles& files,
                              NameTable& names, Diagnostics& diagnostics, Safety safety) {
  const Doing doing("elaboration");
  return Elaborator(program, files, names, diagnostics, safety).run();
}

}  // namespace dagaz::elaborate
