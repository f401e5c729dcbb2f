#include "ir/rewrite.h"

#include "ir/fields.h"
#include "support/match.h"

namespace dagaz::ir {

bool rewrite_statements(Body& body, Names& names, Scopes scopes, Replace replace) {
  bool changed = false;
  Builder out(names);
  for (Statement& statement : body.statements) {
    const bool is_control = as<Loop>(statement.operation) || as<Branch>(statement.operation);
    if (scopes == Scopes::all || is_control) {
      for_each_scope(statement.operation, [&](Body& inner) {
        changed = rewrite_statements(inner, names, scopes, replace) || changed;
      });
    }
    if (replace(statement, out)) {
      changed = true;
    } else {
      out.add(std::move(statement));
    }
  }
  body.statements = out.take();
  return changed;
}

}  // namespace dagaz::ir
