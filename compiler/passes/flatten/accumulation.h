// Histograms as accumulation.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Whether every operator of the histogram combines single numbers.
bool combines_numbers(const ir::Histogram& histogram);

/// A statement with the results of `statement`, which is `histogram`: a map that accumulates.
ir::Statement accumulation(ir::Statement statement, ir::Histogram histogram, ir::Names& names);

}  // namespace dagaz::passes::flattening
