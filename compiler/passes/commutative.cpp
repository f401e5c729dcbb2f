#include "passes/commutative.h"

namespace dagaz::passes {

using ir::ScalarOp;

bool is_commutative(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul:
    case ScalarOp::smin:
    case ScalarOp::smax:
    case ScalarOp::umin:
    case ScalarOp::umax:
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor: return true;
    default: return false;  // all others
  }
}

}  // namespace dagaz::passes
