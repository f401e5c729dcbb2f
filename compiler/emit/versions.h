// The versions of a schedule, and what it says of costs; the threads that both count with.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Those that fill the device: of a CPU's team, or all that a GPU holds at once.
Operand resident_threads(Context& c);
/// What a point takes.
Operand cost_of(Context& c, const ir::Schedule& schedule);

Operand sum_of(Context& c, const std::vector<ir::Product>& terms);
/// How many points are worth a task.
Operand grain_for(Context& c, const Operand& cost);
/// `run` for the first version whose guards hold.
void run_versions(Context& c, const ir::Schedule& schedule,
                  const std::function<void(const ir::Strategy&)>& run);

}  // namespace dagaz::emit
