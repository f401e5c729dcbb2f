// IEEE binary16 on machines whose C++ has no such type: conversions only.
#pragma once

#include <cstdint>

namespace dagaz::runtime {

/// Exact.
float half_to_float(uint16_t bits);
/// Rounds to nearest, ties to even.
uint16_t double_to_half(double value);

}  // namespace dagaz::runtime
