// How many bytes a parallel loop or a kernel moves, for profiles.
#pragma once

#include "emit/context/context.h"

namespace dagaz::emit {

/// The bytes of the arrays of the current statement that `code` reads or writes, each counted once
/// and whole, whatever part of it is touched, and however often; null where there are none.
std::optional<Operand> bytes_moved(Context& c, const Code& code);

}  // namespace dagaz::emit
