// Text that is still being written, made into text that parses around one name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/lsp/names.h"

namespace dagaz::tools::lsp {

/// A text, and the name in it that is still being written.
struct Unfinished {
  std::string text;
  Span wanted;
};

/// The part of a word before and behind `offset`; empty between words.
Span word_at(std::string_view text, std::size_t offset);

/// What `text` may become when something is written at `offset`: first with what follows as it is,
/// then with the declaration at `offset` brought to an end there.
std::vector<Unfinished> finish(std::string_view text, std::size_t offset);

}  // namespace dagaz::tools::lsp
