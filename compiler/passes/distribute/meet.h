// What ranks combine.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

/// Combines what is pending.
void meet(Rewriting& c, ir::Builder& out);
void meet(Rewriting& c, std::vector<Combined> all, ir::Builder& out);
/// What this rank has of the rows, combined with those of what all have.
std::vector<ir::NameId> combine_rows(Rewriting& c, const std::vector<ir::NameId>& own,
                                     const Combined& met, ir::Builder& out);
bool is_pending(const Rewriting& c, ir::NameId name);
bool waits_for_meeting(const Rewriting& c, const ir::Statement& statement);

}  // namespace dagaz::passes::distributing
