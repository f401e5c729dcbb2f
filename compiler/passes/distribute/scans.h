// Scans of rows that ranks have.
#pragma once

#include "passes/distribute/rewriting.h"

namespace dagaz::passes::distributing {

void share_scan(Rewriting& c, ir::Statement statement, const Share& share, ir::Builder& out);

}  // namespace dagaz::passes::distributing
