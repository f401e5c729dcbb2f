// Loop values whose sizes change from iteration to iteration: their types mention loop values.
#pragma once

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::ad {

/// The loop values that the types of the loop's values mention.
ir::NameSet varying_sizes(const ir::Loop& loop, const ir::Names& names);

/// Whether a type has one of these sizes.
bool has_varying_size(const ir::Type& type, const ir::NameSet& sizes);

}  // namespace dagaz::passes::ad
