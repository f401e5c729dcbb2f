// Pieces of HTML.
#pragma once

#include <string>
#include <string_view>

namespace dagaz::tools::doc {

/// A part of an address: everything but letters, digits and a few marks as `%XX`.
std::string escape_address(std::string_view text);
/// How a page at `from` names the one at `to`; both count from the root of the site.
std::string relative_address(const std::string& from, const std::string& to);

}  // namespace dagaz::tools::doc
