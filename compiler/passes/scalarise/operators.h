// Operators of scans and reductions on small arrays become operators on their elements.
#pragma once

#include "passes/scalarise/whole_uses.h"

namespace dagaz::passes::scalarising {

/// How many elements values of these neutral elements have, if they are small arrays, perhaps with
/// scalars, of few elements in all; 0 otherwise.
std::int64_t small_operand_count(const std::vector<Operand>& neutral, const Names& names);
/// Whether the results of a reduction may be scalars.  On a GPU they lie in the device's memory,
/// and host code would wait for them.
bool may_split_reductions(FlattenTarget target, Where where);

/// Adds a MapScanReduce to `out`, its operators split where nothing needs their operands whole;
/// whether there were any.
bool split_operators(Statement statement, const WholeUses& uses, FlattenTarget target,
                     Where where, Builder& out);

}  // namespace dagaz::passes::scalarising
