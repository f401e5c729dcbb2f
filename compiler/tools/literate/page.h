// The finished page as HTML.
#pragma once

#include <string>

namespace dagaz::tools::literate {

/// The page that the Markdown describes.
std::string html_page(const std::string& title, const std::string& markdown);

}  // namespace dagaz::tools::literate
