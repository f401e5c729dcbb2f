// The walk of passes that put other statements in the place of some.
#pragma once

#include <cstdint>

#include "ir/builder.h"
#include "support/function_ref.h"

namespace dagaz::ir {

/// Which scopes inside a body are walked.
enum class Scopes : std::uint8_t {
  all,
  of_control  // of loops and branches: code that no parallel operation repeats
};

/// Whether other statements, which are in the builder, stand in the place of a statement.
using Replace = FunctionRef<bool(Statement&, Builder&)>;

/// Walks the scopes inside `body`, innermost first, and in each the statements in order; whether
/// any was replaced.
bool rewrite_statements(Body& body, Names& names, Scopes scopes, Replace replace);

}  // namespace dagaz::ir
