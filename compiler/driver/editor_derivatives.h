// What editors show of derivatives.
#pragma once

#include <string>
#include <vector>

#include "syntax/imports.h"
#include "tools/lsp/workspace.h"

namespace dagaz::driver {

/// How each construct of the program was differentiated, by running the passes in a process of its
/// own: what an editor shows must neither end the server by a bug of theirs nor make it wait long.
std::vector<tools::lsp::DerivativeNote> derivatives_for_editor(const std::string& path,
                                                               const syntax::FileReader& read);

}  // namespace dagaz::driver
