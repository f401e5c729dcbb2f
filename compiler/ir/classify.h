// Classes of operations that several passes ask for: one answer each, for every operation.
#pragma once

#include "ir/program.h"

namespace dagaz::ir {

/// Whether the result is, or is a part of, what the operation reads: nothing is computed, and an
/// array lies where its operand lies.
bool is_view(const Operation& operation);
/// Whether memory may be taken for the statement's results or while it runs.
bool allocates(const Statement& statement, const Names& names);
/// Whether element i is i, as i64.
bool counts_from_zero(const Iota& range);
/// Whether both sides only compute scalars, and nothing can go wrong there: one may do both and
/// choose.
bool only_computes(const Branch& branch);
bool only_computes(const Body& body);

}  // namespace dagaz::ir
