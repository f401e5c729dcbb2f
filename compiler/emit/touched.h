// How much of its arrays an operation can touch, as far as that is known before it runs.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::emit {

/// The parts of an array that its uses can touch.  Each is a number of elements, the product of
/// sizes known outside of the operation; together they are never more than the array has.
struct Touched {
  bool whole = false;  // a use may touch all of it
  std::vector<std::vector<ir::Operand>> parts = {};
};

/// What `operation` reads of each array from outside that it uses by more than its sizes.
std::unordered_map<ir::NameId, Touched> elements_read(const ir::Operation& operation,
                                                      const ir::Names& names);
/// What it writes of each of its results.
std::vector<Touched> elements_written(const ir::Statement& statement, const ir::Names& names);

}  // namespace dagaz::emit
