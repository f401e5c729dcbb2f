// Random functions of reals, to be differentiated: bounded and, almost everywhere, smooth, so that
// differences are accurate.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/interpret.h"
#include "ir/program.h"

namespace dagaz::fuzz {

/// A program with one function `f` of reals, arrays of them and an integer; the same seed gives
/// the same.
ir::Program generate_function(std::uint64_t seed);

/// Values for the parameters of `f`.
std::vector<ir::Value> generate_points(std::uint64_t seed);

}  // namespace dagaz::fuzz
