// Digamma and trigamma by recurrence up to where the asymptotic series is accurate, and by
// reflection for negative arguments.  Circular functions of πx by exact reduction of x.
#include "ir/special_functions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace dagaz::ir {

namespace {

constexpr double pi = std::numbers::pi;
/// From here on the series below are good to the last digits.
constexpr double series_start = 12;

bool is_pole(double x) { return x <= 0 && std::floor(x) == x; }

}  // namespace

double digamma(double x) {
  if (is_pole(x)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0) return digamma(1 - x) - pi / tanpi(x);
  double result = 0;
  for (; x < series_start; x += 1) result -= 1 / x;
  const double y = 1 / (x * x);
  // log x - 1/2x - Σ B₂ₖ / (2k x²ᵏ)
  const double series =
      y * (1.0 / 12 -
           y * (1.0 / 120 -
                y * (1.0 / 252 -
                     y * (1.0 / 240 -
                          y * (1.0 / 132 - y * (691.0 / 32760 - y * (1.0 / 12)))))));
  return result + std::log(x) - 0.5 / x - series;
}

double trigamma(double x) {
  if (is_pole(x)) return std::numeric_limits<double>::infinity();
  if (x < 0) {
    const double sine = sinpi(x);
    return pi * pi / (sine * sine) - trigamma(1 - x);
  }
  double result = 0;
  for (; x < series_start; x += 1) result += 1 / (x * x);
  const double y = 1 / (x * x);
  // 1/x + 1/2x² + Σ B₂ₖ / x²ᵏ⁺¹
  const double series =
      1.0 / 6 -
      y * (1.0 / 30 -
           y * (1.0 / 42 -
                y * (1.0 / 30 - y * (5.0 / 66 - y * (691.0 / 2730 - y * (7.0 / 6))))));
  return result + 1 / x + y / 2 + y / x * series;
}

double sinpi(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  double r = std::fmod(x, 2.0);
  // Into [-½, ½], where sin(πr) is accurate; integers become exactly zero.
  if (r > 1) r -= 2;
  if (r < -1) r += 2;
  if (r > 0.5) r = 1 - r;
  if (r < -0.5) r = -1 - r;
  return r == 0 ? std::copysign(0.0, x) : std::sin(pi * r);
}

double cospi(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::fabs(std::fmod(x, 2.0));
  if (r == 0.5 || r == 1.5) return 0;
  return r <= 0.25 || r >= 1.75 ? std::cos(pi * (r >= 1.75 ? 2 - r : r)) : sinpi(0.5 - r);
}

double tanpi(double x) { return sinpi(x) / cospi(x); }

}  // namespace dagaz::ir
