// The MD5 digest: names for what was made from a text, nothing that has to be kept secret.
#pragma once

#include <string>
#include <string_view>

namespace dagaz {

/// 32 hexadecimal digits.
std::string md5(std::string_view text);

}  // namespace dagaz
