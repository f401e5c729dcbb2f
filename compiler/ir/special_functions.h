// Real functions that the C library lacks.
#pragma once

namespace dagaz::ir {

/// The derivative of log|Γ(x)|.
double digamma(double x);
/// The derivative of digamma.
double trigamma(double x);
/// sin(πx), cos(πx), tan(πx), exact where x is a multiple of ½.
double sinpi(double x);
double cospi(double x);
double tanpi(double x);

}  // namespace dagaz::ir
