// Elements of what a loop has saved of one of its steps, read through that step's row where there
// is one: saved[t, i + 1] is row[i + 1] for row = saved[t].  Simplification had put the one in
// place of the other; but the row is what ranks have parts of.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::distributing {

void read_through_rows(ir::Function& function);

}  // namespace dagaz::passes::distributing
