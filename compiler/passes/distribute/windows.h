// Points that read rows beside their own.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

void want_windows(Rewriting& c, const ir::Statements& statements);
/// Has what the statement, and others of its body, read so sent.
void fetch_windows(Rewriting& c, const ir::Statement& statement, ir::Builder& out);
ir::Operand window_rows(const Rewriting& c, ir::NameId array, const WindowOver& window,
                        ir::Builder& out);
FetchedWindow fetched_window(const Rewriting& c, ir::NameId array, const ir::Operand& points);

}  // namespace dagaz::passes::distributing
