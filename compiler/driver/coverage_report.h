// What tests have executed, for tools (lcov) and for people (a page).
#pragma once

#include <string>

#include "driver/line_counts.h"

namespace dagaz::driver {

/// Writes `lcov.info` and `index.html` into the folder, which is made; what is wrong, or nothing.
std::string write_coverage(const std::string& folder, const LineCounts& counts);

/// `12 of 15 lines (80.0 %)`.
std::string coverage_summary(const LineCounts& counts);

}  // namespace dagaz::driver
