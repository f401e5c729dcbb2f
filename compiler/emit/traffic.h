// How many bytes a parallel loop or a kernel moves, for profiles.
#pragma once

#include "emit/context/context.h"

namespace dagaz::emit {

/// The bytes of the arrays of the current statement that `code` reads and those that it writes,
/// each byte once, however often it is touched (docs/profiles.md): what memory has to move at
/// least.  Never less than are touched, but more where it depends on data which; null where there
/// are no arrays.
std::optional<Operand> bytes_moved(Context& c, const Code& code);

}  // namespace dagaz::emit
