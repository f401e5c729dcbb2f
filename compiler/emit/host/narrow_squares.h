// Transpositions of what has fewer neighbours than a vector has lanes: the channels of pixels.
#pragma once

#include "emit/host/squares.h"

namespace dagaz::emit {

/// In parallel; those that are `large` fetch what they read.
void copy_narrow(Context& c, const Crossing& crossing, const Operand& large);

}  // namespace dagaz::emit
