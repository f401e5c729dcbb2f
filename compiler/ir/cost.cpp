#include "ir/cost.h"

#include "support/check.h"

namespace dagaz::ir {

CostClass cost_class(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::neg:
    case ScalarOp::iabs:
    case ScalarOp::fabs:
    case ScalarOp::ssgn:
    case ScalarOp::usgn:
    case ScalarOp::fsgn:
    case ScalarOp::smin:
    case ScalarOp::smax:
    case ScalarOp::umin:
    case ScalarOp::umax:
    case ScalarOp::fmin:
    case ScalarOp::fmax:
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::slt:
    case ScalarOp::sle:
    case ScalarOp::ult:
    case ScalarOp::ule:
    case ScalarOp::flt:
    case ScalarOp::fle:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::bit_not:
    case ScalarOp::shl:
    case ScalarOp::lshr:
    case ScalarOp::ashr:
    case ScalarOp::popc:
    case ScalarOp::clz:
    case ScalarOp::ctz:
    case ScalarOp::smul_hi:
    case ScalarOp::umul_hi:
    case ScalarOp::select:
    case ScalarOp::sign_extend:
    case ScalarOp::zero_extend:
    case ScalarOp::signed_to_float:
    case ScalarOp::unsigned_to_float:
    case ScalarOp::float_to_signed:
    case ScalarOp::float_to_unsigned:
    case ScalarOp::float_convert:
    case ScalarOp::to_boolean:
    case ScalarOp::float_to_bits:
    case ScalarOp::bits_to_float:
    case ScalarOp::ceil:
    case ScalarOp::floor:
    case ScalarOp::round:
    case ScalarOp::trunc:
    case ScalarOp::fma:
    case ScalarOp::isinf:
    case ScalarOp::isnan:
    case ScalarOp::copysign: return CostClass::simple;
    case ScalarOp::fdiv:
    case ScalarOp::fmod:
    case ScalarOp::sdiv_floor:
    case ScalarOp::smod_floor:
    case ScalarOp::sdiv:
    case ScalarOp::srem:
    case ScalarOp::udiv:
    case ScalarOp::urem: return CostClass::division;
    case ScalarOp::ipow:
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
    case ScalarOp::hypot:
    case ScalarOp::nextafter:
    case ScalarOp::ldexp: return CostClass::slow;
    case ScalarOp::fpow:
    case ScalarOp::cbrt:
    case ScalarOp::exp:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log10:
    case ScalarOp::log1p:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan:
    case ScalarOp::asin:
    case ScalarOp::acos:
    case ScalarOp::atan:
    case ScalarOp::sinh:
    case ScalarOp::cosh:
    case ScalarOp::tanh:
    case ScalarOp::asinh:
    case ScalarOp::acosh:
    case ScalarOp::atanh:
    case ScalarOp::sinpi:
    case ScalarOp::cospi:
    case ScalarOp::tanpi:
    case ScalarOp::asinpi:
    case ScalarOp::acospi:
    case ScalarOp::atanpi:
    case ScalarOp::atan2:
    case ScalarOp::atan2pi:
    case ScalarOp::gamma:
    case ScalarOp::lgamma:
    case ScalarOp::digamma:
    case ScalarOp::trigamma:
    case ScalarOp::erf:
    case ScalarOp::erfc: return CostClass::transcendental;
  }
  DZ_UNREACHABLE("a scalar operation without a class");
}

std::int64_t cost_of(ScalarOp op) {
  if (op == ScalarOp::fpow) return 20;
  switch (cost_class(op)) {
    case CostClass::simple:
    case CostClass::division: return 1;
    case CostClass::slow:
    case CostClass::transcendental: return 12;
  }
  DZ_UNREACHABLE("a class without a cost");
}

bool is_light(ScalarOp op) {
  const CostClass of = cost_class(op);
  return of == CostClass::simple || of == CostClass::division;
}

bool is_partial(ScalarOp op) {
  return op == ScalarOp::sdiv_floor || op == ScalarOp::smod_floor || op == ScalarOp::sdiv ||
         op == ScalarOp::srem || op == ScalarOp::udiv || op == ScalarOp::urem ||
         op == ScalarOp::ipow;
}

}  // namespace dagaz::ir
