// What operations on scalars cost: one answer for all who decide where to evaluate them, and
// for how much a point takes.  Both are columns of scalar_ops.def.
#pragma once

#include <cstdint>

#include "ir/scalar.h"

namespace dagaz::ir {

enum class CostClass : std::uint8_t {
  simple,         // a few cycles, and never fails: cheaper than a jump around it
  division,       // some ten cycles, but cheaper than to write the result and read it again
  slow,           // a root, or a short function
  transcendental  // exponentials, circular functions and such: in vector lanes, too, several times
                  // what it takes to write a number to a cache and to read it again
};

CostClass cost_class(ScalarOp op);
/// In units of an addition, as the operations of a point are counted.
std::int64_t cost_of(ScalarOp op);

inline bool is_cheap(ScalarOp op) { return cost_class(op) == CostClass::simple; }
/// Whether computing it again is better than keeping it.
bool is_light(ScalarOp op);
inline bool is_transcendental(ScalarOp op) {
  return cost_class(op) == CostClass::transcendental;
}

}  // namespace dagaz::ir
