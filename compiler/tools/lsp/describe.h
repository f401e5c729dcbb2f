// Definitions in one line, as a program would declare them.
#pragma once

#include <string>

#include "tools/lsp/names.h"

namespace dagaz::tools::lsp {

/// `def f [n]: [n]f32 -> f32`.  `use` is what a use of the definition means there, if one is asked
/// about: where a module is seen through a signature, types differ.
std::string describe(const Analysis& analysis, const Definition& definition,
                     check::Member use = {});

/// The numbers that the protocol gives to kinds of symbols and of completions.
int symbol_number(SymbolKind kind);
int completion_number(SymbolKind kind);

/// Whether a definition of this kind is seen by its own declaration only.
bool is_local(SymbolKind kind);

}  // namespace dagaz::tools::lsp
