// Edits of texts: several at once, none of which may touch what another one changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace dagaz {

/// `text`, which is what the edits' ranges refer to, after all of them; nothing if two overlap or
/// one lies outside.  Insertions at one place stay in their order.
std::optional<std::string> edited(std::string_view text, std::vector<Edit> edits);


/// The edits that put what is at `range` between the two texts.
std::vector<Edit> around(const Range& range, std::string before, std::string after);

}  // namespace dagaz
