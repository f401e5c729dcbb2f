// What is added to arrays.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

std::vector<Combined> start_histogram(Rewriting& c, ir::Statement& statement, ir::Builder& out);
void share_additions(Rewriting& c, ir::Statement statement, ir::Builder& out);
/// What a rank writes to of an array that is whole: its rows, as memory of its own.
void keep_rows(Rewriting& c, ir::NameId& destination, const Rows& rows, ir::Builder& out);
/// The rows of this rank of an array whose elements, or rows, were made equal.
std::optional<ir::NameId> filled_rows(Rewriting& c, ir::NameId array, const ir::Operand& extent,
                                      ir::Builder& out);
/// The results of a scope behind `from`: which of them are rows of this rank, and are sent.
void take_rows(Rewriting& c, ir::Statement& statement, ir::Lambda& scope, std::size_t from,
               std::vector<ir::NameId>& sent);

}  // namespace dagaz::passes::distributing
