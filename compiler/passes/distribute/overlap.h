// Points that need no rows of others run while these are on their way.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::distributing {

/// Divides maps that are the first to read a window into the points that read rows of this rank
/// alone and the rest, and calls `ranks'windows` into `ranks'start_windows` and
/// `ranks'wait_windows` (ir/ranks.h) before and behind the former.
void overlap_exchanges(ir::Program& program, ir::Body& body);

}  // namespace dagaz::passes::distributing
