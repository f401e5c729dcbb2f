// A program on one line, in the words of the peer's printer of syntax trees.  The peer names
// pictures by a digest of that text, so that white space and comments do not change them; so do we,
// and by the same one.
#pragma once

#include <string>

namespace dagaz::tools::literate {

/// The text for the program in a file; where it does not parse, what was written.  Modules and
/// signatures are as they were written, but for white space.
std::string peer_text(const std::string& program);

}  // namespace dagaz::tools::literate
