#include "driver/rolled_loops.h"

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::driver {

namespace {

void warn(const ir::Loop& loop, const Range& range, Diagnostics& diagnostics) {
  // Functions are inlined, so a loop of the source may stand in several places.
  for (const Diagnostic& earlier : diagnostics.all()) {
    if (earlier.kind == DiagnosticKind::not_unrolled && earlier.range == range) return;
  }
  const auto* counted = as<ir::ForForm>(loop.form);
  const bool known = counted != nullptr && counted->bound.is_constant();
  diagnostics.report(DiagnosticKind::not_unrolled, range,
                     known ? "this loop is too long for #[unroll]"
                           : "#[unroll] on a loop whose number of iterations is not known when it "
                             "is compiled");
}

void visit(const ir::Body& body, const ir::Program& program, Diagnostics& diagnostics) {
  for (const ir::Statement& statement : body.statements) {
    const auto* loop = as<ir::Loop>(statement.operation);
    if (loop != nullptr && loop->attributes.unroll && statement.location.valid()) {
      warn(*loop, program.locations[statement.location.index].range, diagnostics);
    }
    ir::for_each_scope(statement.operation, [&](const ir::Body& inner) {
      visit(inner, program, diagnostics);
    });
  }
}

}  // namespace

void warn_of_rolled_loops(const ir::Program& program, Diagnostics& diagnostics) {
  for (const ir::Function& function : program.functions) {
    visit(function.body, program, diagnostics);
  }
}

}  // namespace dagaz::driver
