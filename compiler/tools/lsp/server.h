// The language server: the life of a connection, and who answers what.
#pragma once

#include "tools/lsp/workspace.h"

namespace dagaz::tools::lsp {

/// Serves one client until it says `exit` or closes its end.  Returns the exit status: 0 after an
/// orderly end.
int serve(int input, int output, const Services& services);

}  // namespace dagaz::tools::lsp
