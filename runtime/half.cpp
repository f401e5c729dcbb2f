// binary16 by scaling: the value is brought to units of its last place and rounded there.
#include "half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagaz::runtime {

float half_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  float magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

uint16_t double_to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) {
    return static_cast<uint16_t>(sign | 0x7e00);
  }
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) {  // halfway between the largest finite half and the next one
    return static_cast<uint16_t>(sign | 0x7c00);
  }
  // Exponent of the unit in the last place; subnormals share the smallest one.
  const int unit = magnitude == 0 ? -24 : std::max(std::ilogb(magnitude) - 10, -24);
  // nearbyint rounds ties to even in the default rounding mode.
  const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // `units` is below 0x400 only for subnormals; one that rounds up to 0x800 carries into the
  // exponent by itself.
  return static_cast<uint16_t>(sign | (((unit + 24) << 10) + units));
}

}  // namespace dagaz::runtime
