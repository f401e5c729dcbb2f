// Which arguments of an entry point each rank reads at its own rows alone: it may be passed no
// more.
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::passes::distributing {

/// The arrays among the parameters of which a rank reads more.
std::vector<ir::NameId> read_whole(const ir::Function& function, const ir::Names& names);

}  // namespace dagaz::passes::distributing
