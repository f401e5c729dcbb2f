// The checker: names resolved, types and sizes inferred, every mistake of the user reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/type.h"
#include "support/diagnostic.h"
#include "support/id.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// What a BindingId is.
struct Binding {
  Symbol name;
  Range range;
  /// Set for the operations the compiler provides: `intrinsics.map`, the overloaded operators
  /// (`+` on every number type; instance.types[0] is the operand type), `broadcast`.
  /// The spelling is Binding::name.
  bool intrinsic = false;
};

/// One parameter or result of an entry point.
struct EntryValue {
  std::string name;         // of the parameter; empty for results and patterns
  /// The type as the C interface names it: the abbreviation the user wrote, or the printed type.
  std::string type_name;
  const Type* type;
  bool unique;
};

struct EntryPoint {
  std::string name;
  std::string documentation;
  const ast::Declaration* declaration;
  std::vector<EntryValue> parameters;
  std::vector<EntryValue> results;  // tuple results count as several
  /// Of a derivative: which of the declaration's parameters writes the type of each parameter and
  /// then of the result; `written_result` if its result does, `written_nowhere` if nothing.
  std::vector<int> written = {};
  static constexpr int written_result = -1;
  static constexpr int written_nowhere = -2;
};

/// A program whose syntax tree has been filled in.
struct CheckedProgram {
  ast::Program* program = nullptr;
  TypeArena types;
  IdVector<BindingId, Binding> bindings;
  std::vector<EntryPoint> entries;
};

/// Checks `program` and fills its "checked:" slots.  After errors the result must not be used.
CheckedProgram check_program(ast::Program& program, NameTable& names, Diagnostics& diagnostics);

}  // namespace dagaz::check
