// Documentation comments as HTML.
#pragma once

#include <functional>
#include <string>

namespace dagaz::tools::doc {

/// What a name in backquotes links to: `kind` is what follows an `@` behind it, or empty.  Gives
/// the address, or an empty text for a name that is not known.
using ResolveName = std::function<std::string(const std::string& name, const std::string& kind)>;
/// Called for each reference that must lead somewhere and does not.
using ReportBroken = std::function<void(const std::string& reference)>;

/// CommonMark to HTML; raw HTML in it is left out.
std::string render_markdown(const std::string& text, const ResolveName& resolve,
                            const ReportBroken& report);
/// The first sentence, as plain text.
std::string first_sentence(const std::string& text);

}  // namespace dagaz::tools::doc
