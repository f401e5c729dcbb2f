// Integers in test blocks may be too large for their suffix; as in the peer's tests they wrap:
// `-1u8` is `255u8`, `32767i8` is `-1i8`.  Programs that read their input are stricter.
#pragma once

#include <string>

namespace dagaz::driver {

/// `values`, in the text format, with each decimal integer that has a suffix in its type's range.
std::string wrapped_integers(const std::string& values);

}  // namespace dagaz::driver
