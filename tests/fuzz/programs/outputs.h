// Results of programs, and whether two of them agree.  Integers, booleans and shapes must be equal;
// reals as close as rounding leaves them, which depends on how much the result moves when the input
// does: a condition number estimated by runs on perturbed input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "values.h"

namespace dagaz::fuzz {

/// What one run gave.
struct Output {
  int status = 0;
  std::string values;   // in binary form
  std::string errors;
};

struct Precision {
  double unit = 0;                // of rounding
  double amount = 0;              // of the perturbation
  std::size_t terms = 0;          // that a sum may have: the reference adds one after the other
  std::vector<Output> perturbed;  // the reference on perturbed input
};

/// The kind of an error at run time: its first line without numbers.
std::string error_kind(const std::string& errors);

/// What differs first, or nothing.  `precision` may have no perturbed runs.
std::optional<std::string> difference(const Output& got, const Output& expected,
                                      const Precision& precision);

}  // namespace dagaz::fuzz
