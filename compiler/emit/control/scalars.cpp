// Scalar statements and asserts.
#include "emit/context/context.h"
#include "emit/control/failures.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"

namespace dagaz::emit {

void emit_operation(Context& c, const ir::Statement& s, const ir::Identity& e) {
  assign(c, s.results[0].name, value_of(c, e.value));
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Scalar& e) {
  if (c.mode == Mode::host && e.result == ScalarType::i64) {
    c.known.scalars.insert_or_assign(s.results[0].name, e);
  }
  c.emit(Assign{s.results[0].name, e.op, e.type, e.result, e.arguments, c.reassociate});
}

void emit_operation(Context& c, const ir::Statement& s, const ir::Assert& e) {
  if (e.condition.is_constant() && e.condition.constant().bits != 0) return;
  const std::vector<Operand> arguments = e.arguments;
  Code failing = c.collect([&] { fail(c, e.message, arguments, s.location); });
  c.emit(If{e.condition, {}, std::move(failing)});
}

}  // namespace dagaz::emit
