// How large types may get.  Types share their parts, so that a few lines can describe one with
// more parts than any machine could walk; values of it would be as large.
#pragma once

#include <cstddef>

#include "check/context.h"

namespace dagaz::check {

inline constexpr std::size_t most_type_parts = std::size_t{1} << 16;

/// Whether `type` has more than `most_type_parts` parts, each counted as often as it occurs.
bool is_too_large(const Type* type);
void report_too_large(Context& context, const Range& range);

}  // namespace dagaz::check
