// Which stores of tasks append to one of many lists.
#pragma once

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Sets Store::appends in loops of tasks.
void mark_appending_stores(Program& program);

}  // namespace dagaz::emit
