// What does not fit lanes.
#pragma once

#include "imperative/lanes/lanes.h"

namespace dagaz::imperative {

/// The statement, point after point.
void one_by_one(Lanes& l, const ir::Statement& s);

}  // namespace dagaz::imperative
