// What emission of one thing hands to that of another: values of a body, and where they are wanted.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "emit/code/place.h"
#include "emit/code/tree.h"
#include "ir/kernel_threads.h"
#include "ir/program.h"
#include "plan/operators.h"

namespace dagaz::emit {

/// Where code runs: in the host, where arrays live in counted blocks; in a task, part of a parallel
/// loop of a CPU; in a thread of a kernel.  The last two are sequential, and their arrays private.
enum class Mode { host, task, kernel };

using ir::block_threads;
using ir::warp_threads;
using plan::are_scalars;
using plan::innermost_lambda;
using plan::is_simple;

/// A place wanted for a result, or none.
using Destination = std::optional<Place>;

/// A value of a body: scalars are operands, arrays have a place.
struct Value {
  Operand operand;
  ir::Type type;
  std::optional<Place> place;
};
using Finish = std::function<void(const std::vector<Value>&)>;

}  // namespace dagaz::emit
