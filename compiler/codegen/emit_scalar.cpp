// Scalar operations, with the semantics of ir::evaluate.  Integers here and conversions; the
// functions of reals are in emit_math.cpp.
#include <cmath>

#include <llvm/IR/Intrinsics.h>

#include "codegen/scalar_operations.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Intrinsic::ID;
using llvm::Type;
using llvm::Value;

namespace {

using Arguments = std::vector<Value*>;

/// An emitter's builder with short names for what the operations below need.
class ScalarEmitter {
 public:
  ScalarEmitter(FunctionFrame& emitter, ScalarType type, ScalarType result, unsigned lanes)
      : emitter_(emitter),
        builder_(emitter.builder()),
        type_(type),
        result_(result),
        lanes_(lanes) {}

  /// Null when the operation belongs to the next group.
  Value* integer(ScalarOp op, const Arguments& arguments);
  Value* bits(ScalarOp op, const Arguments& arguments);
  Value* comparison(ScalarOp op, const Arguments& arguments);
  Value* conversion(ScalarOp op, Value* x);
  Value* floating(ScalarOp op, const Arguments& arguments);

 private:
  Type* shaped(Type* type) {
    return lanes_ == 0 ? type : llvm::FixedVectorType::get(type, lanes_);
  }
  Value* zero() { return llvm::Constant::getNullValue(shaped(emitter_.value_type(type_))); }
  Value* one() {
    llvm::Constant* one = emitter_.constant(ir::one_of(type_));
    if (lanes_ == 0) return one;
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes_), one);
  }
  Type* result_type() { return shaped(emitter_.value_type(result_)); }
  unsigned width() { return static_cast<unsigned>(ir::bit_width(type_)); }
  Value* width_value() { return emitter_.integer(width(), width()); }
  Value* intrinsic(ID id, const Arguments& arguments) {
    return builder_.CreateIntrinsic(id, {arguments[0]->getType()}, arguments);
  }
  bool divides_as_reals(Value* b);
  Value* quotient_of_reals(Value* a, Value* b, bool is_signed);
  Value* quotient(Value* a, Value* b, bool is_signed);
  Value* remainder(Value* a, Value* b, bool is_signed);
  Value* signed_division(Value* a, Value* b, bool floor, bool is_quotient);
  Value* power(Value* base, Value* exponent);
  Value* high_product(Value* a, Value* b, bool is_signed);
  Value* to_integer(Value* x, bool is_signed);

  FunctionFrame& emitter_;
  llvm::IRBuilder<>& builder_;
  ScalarType type_;
  ScalarType result_;
  unsigned lanes_;  // 0: scalars
};

/// No processor has vectors of integers divide each other.  Real numbers of more than twice as many
/// bits do exactly: a quotient that is no integer is less than the next one by 1 / b at least.
bool ScalarEmitter::divides_as_reals(Value* b) {
  constexpr unsigned most_bits = 32;
  return lanes_ > 0 && width() <= most_bits && !llvm::isa<llvm::Constant>(b);
}

Value* ScalarEmitter::quotient_of_reals(Value* a, Value* b, bool is_signed) {
  const llvm::IRBuilderBase::FastMathFlagGuard exact(builder_);
  builder_.clearFastMathFlags();
  constexpr unsigned bits_of_floats = 16;  // that a float has in its 24, and some more
  Type* reals = shaped(width() <= bits_of_floats ? builder_.getFloatTy() : builder_.getDoubleTy());
  const auto real = [&](Value* x) {
    return is_signed ? builder_.CreateSIToFP(x, reals) : builder_.CreateUIToFP(x, reals);
  };
  Value* divided = builder_.CreateFDiv(real(a), real(b));
  return is_signed ? builder_.CreateFPToSI(divided, a->getType())
                   : builder_.CreateFPToUI(divided, a->getType());
}

Value* ScalarEmitter::quotient(Value* a, Value* b, bool is_signed) {
  if (divides_as_reals(b)) return quotient_of_reals(a, b, is_signed);
  return is_signed ? builder_.CreateSDiv(a, b) : builder_.CreateUDiv(a, b);
}

Value* ScalarEmitter::remainder(Value* a, Value* b, bool is_signed) {
  if (divides_as_reals(b)) {
    return builder_.CreateSub(a, builder_.CreateMul(quotient_of_reals(a, b, is_signed), b));
  }
  return is_signed ? builder_.CreateSRem(a, b) : builder_.CreateURem(a, b);
}

/// lowest / -1 traps on the machine, so -1 never reaches the division.
Value* ScalarEmitter::signed_division(Value* a, Value* b, bool floor, bool is_quotient) {
  Value* minus_one = llvm::Constant::getAllOnesValue(b->getType());
  const bool known = llvm::isa<llvm::ConstantInt>(b);
  Value* is_minus_one = builder_.CreateICmpEQ(b, minus_one);
  Value* divisor = known && !llvm::cast<llvm::ConstantInt>(b)->isMinusOne()
                       ? b
                       : builder_.CreateSelect(is_minus_one, one(), b);
  Value* rest = remainder(a, divisor, true);
  Value* has_remainder = builder_.CreateICmpNE(rest, zero());
  Value* signs_differ = builder_.CreateICmpSLT(builder_.CreateXor(rest, b), zero());
  Value* adjust = builder_.CreateAnd(has_remainder, signs_differ);
  if (is_quotient) {
    Value* result = quotient(a, divisor, true);
    if (floor) {
      result = builder_.CreateSelect(adjust, builder_.CreateSub(result, one()), result);
    }
    return builder_.CreateSelect(is_minus_one, builder_.CreateNeg(a), result);
  }
  // With the divisor replaced by 1 the remainder is 0, as it has to be.
  if (!floor) return rest;
  return builder_.CreateSelect(adjust, builder_.CreateAdd(rest, b), rest);
}

/// base ** exponent by squaring, in a loop that LLVM unrolls for constant exponents.
Value* ScalarEmitter::power(Value* base, Value* exponent) {
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* loop = emitter_.block("power");
  llvm::BasicBlock* after = emitter_.block("power.done");
  Value* start = one();
  builder_.CreateCondBr(builder_.CreateICmpEQ(exponent, zero()), after, loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* result = builder_.CreatePHI(base->getType(), 2);
  llvm::PHINode* square = builder_.CreatePHI(base->getType(), 2);
  llvm::PHINode* rest = builder_.CreatePHI(base->getType(), 2);
  Value* odd = builder_.CreateTrunc(rest, builder_.getInt1Ty());
  Value* next = builder_.CreateSelect(odd, builder_.CreateMul(result, square), result);
  Value* next_square = builder_.CreateMul(square, square);
  Value* next_rest = builder_.CreateLShr(rest, one());
  result->addIncoming(start, before);
  result->addIncoming(next, loop);
  square->addIncoming(base, before);
  square->addIncoming(next_square, loop);
  rest->addIncoming(exponent, before);
  rest->addIncoming(next_rest, loop);
  builder_.CreateCondBr(builder_.CreateICmpEQ(next_rest, zero()), after, loop);
  builder_.SetInsertPoint(after);
  llvm::PHINode* power = builder_.CreatePHI(base->getType(), 2);
  power->addIncoming(start, before);
  power->addIncoming(next, loop);
  return power;
}

Value* ScalarEmitter::high_product(Value* a, Value* b, bool is_signed) {
  Type* wide = builder_.getIntNTy(2 * width());
  const auto widen = [&](Value* x) {
    return is_signed ? builder_.CreateSExt(x, wide) : builder_.CreateZExt(x, wide);
  };
  Value* product = builder_.CreateMul(widen(a), widen(b));
  return builder_.CreateTrunc(builder_.CreateLShr(product, width()), a->getType());
}

Value* ScalarEmitter::integer(ScalarOp op, const Arguments& x) {
  switch (op) {
    case ScalarOp::add: return builder_.CreateAdd(x[0], x[1]);
    case ScalarOp::sub: return builder_.CreateSub(x[0], x[1]);
    case ScalarOp::mul: return builder_.CreateMul(x[0], x[1]);
    case ScalarOp::neg: return builder_.CreateNeg(x[0]);
    case ScalarOp::sdiv_floor: return signed_division(x[0], x[1], true, true);
    case ScalarOp::smod_floor: return signed_division(x[0], x[1], true, false);
    case ScalarOp::sdiv: return signed_division(x[0], x[1], false, true);
    case ScalarOp::srem: return signed_division(x[0], x[1], false, false);
    case ScalarOp::udiv: return quotient(x[0], x[1], false);
    case ScalarOp::urem: return remainder(x[0], x[1], false);
    case ScalarOp::ipow: return power(x[0], x[1]);
    case ScalarOp::iabs:
      return builder_.CreateIntrinsic(llvm::Intrinsic::abs, {x[0]->getType()},
                                      {x[0], builder_.getFalse()});
    case ScalarOp::ssgn:
      return builder_.CreateSub(
          builder_.CreateZExt(builder_.CreateICmpSGT(x[0], zero()), x[0]->getType()),
          builder_.CreateZExt(builder_.CreateICmpSLT(x[0], zero()), x[0]->getType()));
    case ScalarOp::usgn:
      return builder_.CreateZExt(builder_.CreateICmpNE(x[0], zero()), x[0]->getType());
    case ScalarOp::smin: return intrinsic(llvm::Intrinsic::smin, x);
    case ScalarOp::smax: return intrinsic(llvm::Intrinsic::smax, x);
    case ScalarOp::umin: return intrinsic(llvm::Intrinsic::umin, x);
    case ScalarOp::umax: return intrinsic(llvm::Intrinsic::umax, x);
    case ScalarOp::smul_hi: return high_product(x[0], x[1], true);
    case ScalarOp::umul_hi: return high_product(x[0], x[1], false);
    default: return nullptr;  // the next group
  }
}

Value* ScalarEmitter::bits(ScalarOp op, const Arguments& x) {
  const auto in_range = [&] { return builder_.CreateICmpULT(x[1], width_value()); };
  switch (op) {
    case ScalarOp::bit_and: return builder_.CreateAnd(x[0], x[1]);
    case ScalarOp::bit_or: return builder_.CreateOr(x[0], x[1]);
    case ScalarOp::bit_xor: return builder_.CreateXor(x[0], x[1]);
    case ScalarOp::bit_not: return builder_.CreateNot(x[0]);
    case ScalarOp::shl:
      return builder_.CreateSelect(in_range(), builder_.CreateShl(x[0], x[1]), zero());
    case ScalarOp::lshr:
      return builder_.CreateSelect(in_range(), builder_.CreateLShr(x[0], x[1]), zero());
    case ScalarOp::ashr: {
      Value* most = emitter_.integer(width() - 1, width());
      return builder_.CreateAShr(x[0], intrinsic(llvm::Intrinsic::umin, {x[1], most}));
    }
    case ScalarOp::popc:
      return builder_.CreateZExtOrTrunc(intrinsic(llvm::Intrinsic::ctpop, x),
                                        builder_.getInt32Ty());
    case ScalarOp::clz:
    case ScalarOp::ctz: {
      const ID id = op == ScalarOp::clz ? llvm::Intrinsic::ctlz : llvm::Intrinsic::cttz;
      Value* count =
          builder_.CreateIntrinsic(id, {x[0]->getType()}, {x[0], builder_.getFalse()});
      return builder_.CreateZExtOrTrunc(count, builder_.getInt32Ty());
    }
    default: return nullptr;  // the next group
  }
}

Value* ScalarEmitter::comparison(ScalarOp op, const Arguments& x) {
  const bool real = ir::is_float(type_);
  switch (op) {
    case ScalarOp::eq:
      return real ? builder_.CreateFCmpOEQ(x[0], x[1]) : builder_.CreateICmpEQ(x[0], x[1]);
    case ScalarOp::ne:
      return real ? builder_.CreateFCmpUNE(x[0], x[1]) : builder_.CreateICmpNE(x[0], x[1]);
    case ScalarOp::slt: return builder_.CreateICmpSLT(x[0], x[1]);
    case ScalarOp::sle: return builder_.CreateICmpSLE(x[0], x[1]);
    case ScalarOp::ult: return builder_.CreateICmpULT(x[0], x[1]);
    case ScalarOp::ule: return builder_.CreateICmpULE(x[0], x[1]);
    case ScalarOp::flt: return builder_.CreateFCmpOLT(x[0], x[1]);
    case ScalarOp::fle: return builder_.CreateFCmpOLE(x[0], x[1]);
    case ScalarOp::to_boolean:
      return real ? builder_.CreateFCmpUNE(x[0], zero()) : builder_.CreateICmpNE(x[0], zero());
    case ScalarOp::isnan: return builder_.CreateFCmpUNO(x[0], x[0]);
    case ScalarOp::isinf: {
      Value* infinity = llvm::ConstantFP::getInfinity(x[0]->getType());
      return builder_.CreateFCmpOEQ(intrinsic(llvm::Intrinsic::fabs, x), infinity);
    }
    case ScalarOp::select: return builder_.CreateSelect(x[0], x[1], x[2]);
    default: return nullptr;  // the next group
  }
}

/// Truncation where the number fits; else the nearer bound, but 0 for NaN and infinities.
Value* ScalarEmitter::to_integer(Value* x, bool is_signed) {
  if (type_ == ScalarType::f16) x = builder_.CreateFPExt(x, shaped(builder_.getFloatTy()));
  Value* size = intrinsic(llvm::Intrinsic::fabs, {x});
  Value* infinity = llvm::ConstantFP::getInfinity(x->getType());
  Value* nothing = llvm::Constant::getNullValue(result_type());
  if (emitter_.in_ptx()) {
    // One instruction of a GPU.  LLVM 19 takes vectors of a CPU apart for it.
    const ID saturating = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    Value* saturated = builder_.CreateIntrinsic(saturating, {result_type(), x->getType()}, {x});
    return builder_.CreateSelect(builder_.CreateFCmpOLT(size, infinity), saturated, nothing);
  }
  const auto bits = static_cast<unsigned>(ir::bit_width(result_));
  const llvm::APInt low = is_signed ? llvm::APInt::getSignedMinValue(bits)
                                    : llvm::APInt::getMinValue(bits);
  const llvm::APInt high = is_signed ? llvm::APInt::getSignedMaxValue(bits)
                                     : llvm::APInt::getMaxValue(bits);
  // Powers of two are exact.  What does not fit is not converted.
  Value* limit = llvm::ConstantFP::get(
      x->getType(), std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0)));
  Value* below = builder_.CreateFCmpOLT(x, llvm::Constant::getNullValue(x->getType()));
  Value* fits = builder_.CreateFCmpOLT(size, limit);
  if (!is_signed) fits = builder_.CreateAnd(fits, builder_.CreateNot(below));
  Value* fitting = builder_.CreateSelect(fits, x, llvm::Constant::getNullValue(x->getType()));
  Value* converted = is_signed ? builder_.CreateFPToSI(fitting, result_type())
                               : builder_.CreateFPToUI(fitting, result_type());
  Value* bound = builder_.CreateSelect(below, llvm::ConstantInt::get(result_type(), low),
                                       llvm::ConstantInt::get(result_type(), high));
  Value* outside =
      builder_.CreateSelect(builder_.CreateFCmpOLT(size, infinity), bound, nothing);
  return builder_.CreateSelect(fits, converted, outside);
}

Value* ScalarEmitter::conversion(ScalarOp op, Value* x) {
  switch (op) {
    case ScalarOp::sign_extend:
      // To boolean only the lowest bit counts, as truncation has it.
      return type_ == ScalarType::boolean ? builder_.CreateZExtOrTrunc(x, result_type())
                                          : builder_.CreateSExtOrTrunc(x, result_type());
    case ScalarOp::zero_extend: return builder_.CreateZExtOrTrunc(x, result_type());
    case ScalarOp::signed_to_float: return builder_.CreateSIToFP(x, result_type());
    case ScalarOp::unsigned_to_float: return builder_.CreateUIToFP(x, result_type());
    case ScalarOp::float_to_signed: return to_integer(x, true);
    case ScalarOp::float_to_unsigned: return to_integer(x, false);
    case ScalarOp::float_convert: return builder_.CreateFPCast(x, result_type());
    case ScalarOp::float_to_bits:
    case ScalarOp::bits_to_float: return builder_.CreateBitCast(x, result_type());
    default: return nullptr;  // the next group
  }
}

Value* ScalarEmitter::floating(ScalarOp op, const Arguments& x) {
  switch (op) {
    case ScalarOp::add: return builder_.CreateFAdd(x[0], x[1]);
    case ScalarOp::sub: return builder_.CreateFSub(x[0], x[1]);
    case ScalarOp::mul: return builder_.CreateFMul(x[0], x[1]);
    case ScalarOp::neg: return builder_.CreateFNeg(x[0]);
    case ScalarOp::fdiv: return builder_.CreateFDiv(x[0], x[1]);
    case ScalarOp::fabs: return intrinsic(llvm::Intrinsic::fabs, x);
    case ScalarOp::fmin: return intrinsic(llvm::Intrinsic::minnum, x);
    case ScalarOp::fmax: return intrinsic(llvm::Intrinsic::maxnum, x);
    case ScalarOp::sqrt: return intrinsic(llvm::Intrinsic::sqrt, x);
    case ScalarOp::rsqrt: return builder_.CreateFDiv(one(), intrinsic(llvm::Intrinsic::sqrt, x));
    case ScalarOp::ceil: return intrinsic(llvm::Intrinsic::ceil, x);
    case ScalarOp::floor: return intrinsic(llvm::Intrinsic::floor, x);
    case ScalarOp::round: return intrinsic(llvm::Intrinsic::roundeven, x);
    case ScalarOp::trunc: return intrinsic(llvm::Intrinsic::trunc, x);
    case ScalarOp::fma: return intrinsic(llvm::Intrinsic::fma, x);
    case ScalarOp::copysign: return intrinsic(llvm::Intrinsic::copysign, x);
    case ScalarOp::fsgn: {
      Value* sign = builder_.CreateSelect(
          builder_.CreateFCmpOGT(x[0], zero()), one(),
          builder_.CreateSelect(builder_.CreateFCmpOLT(x[0], zero()),
                                llvm::ConstantFP::get(x[0]->getType(), -1.0), zero()));
      return builder_.CreateSelect(builder_.CreateFCmpUNO(x[0], x[0]), x[0], sign);
    }
    default: return nullptr;  // a function of reals
  }
}

}  // namespace

Value* scalar_operation(FunctionFrame& frame, ScalarOp op, ScalarType type, ScalarType result,
                        const Arguments& arguments, unsigned lanes) {
  ScalarEmitter emitter(frame, type, result, lanes);
  if (Value* value = emitter.comparison(op, arguments)) return value;
  if (Value* value = emitter.conversion(op, arguments[0])) return value;
  if (ir::is_float(type)) {
    if (Value* value = emitter.floating(op, arguments)) return value;
    return real_function(frame, op, type, arguments);
  }
  if (Value* value = emitter.integer(op, arguments)) return value;
  Value* value = emitter.bits(op, arguments);
  DZ_CHECK(value != nullptr, "no code for " + std::string(ir::name_of(op)));
  return value;
}

}  // namespace dagaz::codegen
