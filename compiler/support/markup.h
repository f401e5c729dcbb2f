// Text within HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace dagaz {

/// `a < b` as `a &lt; b`; right in attributes between double quotes too.
std::string escape_markup(std::string_view text);

}  // namespace dagaz
