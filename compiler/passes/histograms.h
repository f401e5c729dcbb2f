// What of accumulation is a histogram.
#pragma once

#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::passes {

/// What is around a statement, at any distance.
enum class Around { nothing, maps };

/// Whether `accumulation` becomes a histogram, as far as can be said before what is not used is
/// removed.
bool is_histogram(const ir::WithAccumulator& accumulation, Around around, const ir::Names& names);

}  // namespace dagaz::passes
