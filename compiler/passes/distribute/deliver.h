// Scatters and histograms whose rows are written by those who have them.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

void deliver_results(Rewriting& c, const ir::Statement& statement, const Rows& rows,
                     ir::Builder& out);
/// How many elements all ranks have of such values of points.
ir::Operand elements_of(const Rewriting& c, const ir::Operand& points,
                        const std::vector<ir::Type>& values, ir::Builder& out);
/// Whether an array of all rows, combined, is less to send than what is delivered.
ir::Operand combining_sends_less(Rewriting& c, const std::vector<ir::Operand>& combined,
                                 const ir::Operand& delivered, ir::Builder& out);
/// What the rows of this rank begin with, as memory of its own.
ir::NameId rows_to_write(Rewriting& c, ir::NameId array, const ir::Operand& extent,
                         ir::Builder& out);

}  // namespace dagaz::passes::distributing
