// Rows at places that points compute.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

void want_answers(Rewriting& c, const ir::Statements& statements);
void ask_for(Rewriting& c, ir::NameId answers, const Rows& rows, ir::Builder& out);

}  // namespace dagaz::passes::distributing
