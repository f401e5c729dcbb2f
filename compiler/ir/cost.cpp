#include "ir/cost.h"

namespace dagaz::ir {

bool is_cheap(ScalarOp op) {
  switch (op) {
    case ScalarOp::fdiv:
    case ScalarOp::fmod:
    case ScalarOp::ipow:
    case ScalarOp::fpow:
    case ScalarOp::sdiv:
    case ScalarOp::srem:
    case ScalarOp::sdiv_floor:
    case ScalarOp::smod_floor:
    case ScalarOp::udiv:
    case ScalarOp::urem: return false;
    default: return op < ScalarOp::sqrt || op == ScalarOp::fma;  // the reals come last
  }
}

bool is_transcendental(ScalarOp op) {
  if (op == ScalarOp::hypot) return false;  // a root
  return op == ScalarOp::fpow || (op >= ScalarOp::cbrt && op <= ScalarOp::erfc);
}

}  // namespace dagaz::ir
