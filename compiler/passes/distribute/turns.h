// Arrays that ranks have by rows and read by columns.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

/// The extents that ranks have their own elements of.
void note_turned(Rewriting& c);
void turn_made(Rewriting& c, const std::vector<ir::NameId>& all, ir::Builder& out);
void permute_turned(Rewriting& c, const ir::Permute& permute, ir::NameId result, ir::Builder& out);
/// What this rank has of an array that ranks have turned to that; nothing: they have not.
std::optional<ir::NameId> turned_part(const Rewriting& c, ir::NameId array, const Split& split);

}  // namespace dagaz::passes::distributing
