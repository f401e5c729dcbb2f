// The files that every site has.
#pragma once

#include <string_view>

namespace dagaz::tools::doc {

std::string_view style_sheet();
/// The search; the entries are a script of their own, so that no server is needed.
std::string_view search_script();

}  // namespace dagaz::tools::doc
