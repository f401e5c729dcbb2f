// The version of Dagaz.
#pragma once

#include <string_view>

namespace dagaz::driver {

inline constexpr std::string_view version = "0.1.0";

}  // namespace dagaz::driver
