// Loops and branches, whose values may be split.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

void share_loop(Rewriting& c, ir::Statement statement, ir::Builder& out);
void share_branch(Rewriting& c, ir::Statement statement, ir::Builder& out);
/// This rank's rows of a value, as memory of its own: a step may be given them to keep.
ir::NameId rows_to_keep(Rewriting& c, ir::NameId array, const Split& split, ir::Builder& out);

}  // namespace dagaz::passes::distributing
