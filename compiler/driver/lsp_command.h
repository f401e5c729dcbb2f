// dagaz lsp: a language server for editors.
#pragma once

namespace dagaz::driver {

/// Speaks the Language Server Protocol over standard input and output.  Returns the exit status.
int lsp_command();

}  // namespace dagaz::driver
