// What does not fit lanes.
#pragma once

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// The statement, point after point.
void one_by_one(Lanes& l, const ir::Statement& s);

}  // namespace dagaz::emit
