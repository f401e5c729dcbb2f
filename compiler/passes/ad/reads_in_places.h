#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Whether `array` is read at single places or in parts anywhere in `body`: then its adjoint is
/// sparse.
bool is_read_in_places(const ir::Body& body, ir::NameId array);

}  // namespace dagaz::passes::ad
