// The memory of arrays of host code, as memory/ decided.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// A new block for `array`.
NameId own_block(Context& c, const Operand& bytes, std::string_view base, NameId array);
/// Row-major order where none is given.
Place in_order(Context& c, NameId block, const std::vector<Operand>& shape,
               const std::vector<int>& order);
/// The memory of an array of host code, as memory/ decided.
Place at_home(Context& c, NameId array);
/// Whether points of the result overwrite what points of an array were.
bool is_over(const Context& c, NameId result);
/// How many states have a row, known before the loop.
void count_checkpoints(Context& c, const ir::Loop& e);

}  // namespace dagaz::emit
