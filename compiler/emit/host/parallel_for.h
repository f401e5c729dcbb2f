// Parallel loops of the CPU.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

using RangeFunction = std::function<void(const Operand& begin, const Operand& end)>;

/// `body` for ranges that together are [0, count), in parallel; `cost` of one iteration.
void parallel_for(Context& c, const Operand& count, const Operand& cost, const RangeFunction& body);
/// The loop itself: runs of at least `grain` iterations.
void parallel_loop(Context& c, const Operand& count, const Operand& grain,
                   const RangeFunction& body);

/// These accumulators as they are where no other thread combines into them at the same time.
std::vector<Accumulator> owned_by_tasks(const Context& c,
                                        const std::vector<std::size_t>& accumulators);

}  // namespace dagaz::emit
