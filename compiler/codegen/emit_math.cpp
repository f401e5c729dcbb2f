// Functions of reals.  On the CPU: LLVM's intrinsics where it knows them (it vectorises those
// with the C library's vector functions), otherwise libm.  In PTX: the functions of libclc, which
// nvptx_target links in, but for those of kernel_functions.h.  f16 goes through f32.  What
// neither library has is in special_functions.cpp.
#include <numbers>

#include <llvm/IR/Intrinsics.h>

#include "codegen/kernel_functions.h"
#include "codegen/scalar_operations.h"
#include "codegen/special_functions.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Type;
using llvm::Value;

namespace {

struct MathRow {
  ScalarOp op;
  const char* libm;    // null: no such function there
  const char* libclc;
  llvm::Intrinsic::ID intrinsic = llvm::Intrinsic::not_intrinsic;  // on the CPU
  bool odd = false;  // libclc's loses the sign of a zero
};

constexpr MathRow math_rows[] = {
    {ScalarOp::fmod, "fmod", "fmod"},
    {ScalarOp::fpow, "pow", "pow", llvm::Intrinsic::pow},
    {ScalarOp::cbrt, "cbrt", "cbrt"},
    {ScalarOp::exp, "exp", "exp", llvm::Intrinsic::exp},
    {ScalarOp::log, "log", "log", llvm::Intrinsic::log},
    {ScalarOp::log2, "log2", "log2", llvm::Intrinsic::log2},
    {ScalarOp::log10, "log10", "log10", llvm::Intrinsic::log10},
    {ScalarOp::log1p, "log1p", "log1p"},
    {ScalarOp::sin, "sin", "sin", llvm::Intrinsic::sin},
    {ScalarOp::cos, "cos", "cos", llvm::Intrinsic::cos},
    {ScalarOp::tan, "tan", "tan"},
    {ScalarOp::asin, "asin", "asin"},
    {ScalarOp::acos, "acos", "acos"},
    {ScalarOp::atan, "atan", "atan", llvm::Intrinsic::not_intrinsic, true},
    {ScalarOp::sinh, "sinh", "sinh"},
    {ScalarOp::cosh, "cosh", "cosh"},
    {ScalarOp::tanh, "tanh", "tanh"},
    {ScalarOp::asinh, "asinh", "asinh"},
    {ScalarOp::acosh, "acosh", "acosh"},
    {ScalarOp::atanh, "atanh", "atanh"},
    {ScalarOp::sinpi, nullptr, nullptr},
    {ScalarOp::cospi, nullptr, nullptr},
    {ScalarOp::tanpi, nullptr, nullptr},
    {ScalarOp::asinpi, nullptr, "asinpi"},
    {ScalarOp::acospi, nullptr, "acospi"},
    {ScalarOp::atanpi, nullptr, "atanpi", llvm::Intrinsic::not_intrinsic, true},
    {ScalarOp::atan2, "atan2", "atan2"},
    {ScalarOp::atan2pi, nullptr, "atan2pi"},
    {ScalarOp::hypot, "hypot", "hypot"},
    {ScalarOp::gamma, "tgamma", "tgamma"},
    {ScalarOp::lgamma, "lgamma", "lgamma"},
    {ScalarOp::digamma, nullptr, nullptr},
    {ScalarOp::trigamma, nullptr, nullptr},
    {ScalarOp::erf, "erf", "erf", llvm::Intrinsic::not_intrinsic, true},
    {ScalarOp::erfc, "erfc", "erfc"},
    {ScalarOp::ldexp, "ldexp", "ldexp"},
};

const MathRow& row_of(ScalarOp op) {
  for (const MathRow& row : math_rows) {
    if (row.op == op) return row;
  }
  DZ_UNREACHABLE("no function for " + std::string(ir::name_of(op)));
}

/// libm's name of a function, or libclc's, which carries the types of its parameters.
std::string library_name(const MathRow& row, bool ptx, const std::vector<Value*>& arguments) {
  const bool single = arguments[0]->getType()->isFloatTy();
  if (!ptx) return std::string(row.libm) + (single ? "f" : "");
  const std::string_view name = row.libclc;
  std::string mangled = "_Z" + std::to_string(name.size()) + std::string(name);
  for (const Value* argument : arguments) {
    mangled += argument->getType()->isIntegerTy() ? 'i' : (single ? 'f' : 'd');
  }
  return mangled;
}

Value* library_call(FunctionFrame& emitter, const MathRow& row,
                    const std::vector<Value*>& arguments) {
  std::vector<Type*> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(types[0], types, false);
  const std::string name = library_name(row, emitter.in_ptx(), arguments);
  llvm::FunctionCallee callee = emitter.part().module.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  // errno is nobody's business here, so these are functions of their arguments alone.
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return emitter.builder().CreateCall(callee, arguments);
}

/// The next number after a towards b, by stepping its bits.
Value* next_after(FunctionFrame& emitter, ScalarType type, Value* a, Value* b) {
  llvm::IRBuilder<>& builder = emitter.builder();
  Type* real = a->getType();
  Type* integer = builder.getIntNTy(static_cast<unsigned>(ir::bit_width(type)));
  Value* zero = llvm::Constant::getNullValue(real);
  Value* up = builder.CreateFCmpOGT(b, a);
  Value* away = builder.CreateICmpEQ(up, builder.CreateFCmpOGT(a, zero));
  Value* bits = builder.CreateBitCast(a, integer);
  Value* one = llvm::ConstantInt::get(integer, 1);
  Value* stepped =
      builder.CreateSelect(away, builder.CreateAdd(bits, one), builder.CreateSub(bits, one));
  Value* smallest = builder.CreateBitCast(one, real);
  Value* from_zero =
      builder.CreateSelect(up, smallest, builder.CreateFNeg(smallest));
  Value* result = builder.CreateSelect(builder.CreateFCmpOEQ(a, zero), from_zero,
                                       builder.CreateBitCast(stepped, real));
  result = builder.CreateSelect(builder.CreateFCmpOEQ(a, b), b, result);
  return builder.CreateSelect(builder.CreateFCmpUNO(a, b), builder.CreateFAdd(a, b), result);
}

bool is_inverse_of_pi(ScalarOp op) {
  return op == ScalarOp::asinpi || op == ScalarOp::acospi || op == ScalarOp::atanpi ||
         op == ScalarOp::atan2pi;
}

ScalarOp without_pi(ScalarOp op) {
  switch (op) {
    case ScalarOp::asinpi: return ScalarOp::asin;
    case ScalarOp::acospi: return ScalarOp::acos;
    case ScalarOp::atanpi: return ScalarOp::atan;
    default: return ScalarOp::atan2;  // of atan2pi
  }
}

}  // namespace

const char* library_function(ScalarOp op) {
  for (const MathRow& row : math_rows) {
    if (row.op == op) return row.libm;
  }
  return nullptr;
}

Value* real_function(FunctionFrame& frame, ScalarOp op, ScalarType type,
                     const std::vector<Value*>& arguments) {
  llvm::IRBuilder<>& builder = frame.builder();
  if (op == ScalarOp::nextafter) return next_after(frame, type, arguments[0], arguments[1]);
  if (type == ScalarType::f16) {
    std::vector<Value*> wide;
    for (Value* argument : arguments) {
      const bool real = argument->getType()->isFloatingPointTy();
      wide.push_back(real ? builder.CreateFPExt(argument, builder.getFloatTy()) : argument);
    }
    return builder.CreateFPTrunc(real_function(frame, op, ScalarType::f32, wide),
                                 builder.getHalfTy());
  }
  if (frame.side() == Side::kernel || frame.in_ptx()) {
    if (llvm::Function* own = kernel_function(frame.part(), op, type)) {
      return builder.CreateCall(own, arguments);
    }
  }
  const MathRow& row = row_of(op);
  const char* library = frame.in_ptx() ? row.libclc : row.libm;
  if (!frame.in_ptx() && row.intrinsic != llvm::Intrinsic::not_intrinsic) {
    return builder.CreateIntrinsic(row.intrinsic, {arguments[0]->getType()}, arguments);
  }
  if (library != nullptr) {
    Value* result = library_call(frame, row, arguments);
    return row.odd && frame.in_ptx()
               ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, arguments[0])
               : result;
  }
  if (is_inverse_of_pi(op)) {
    Value* angle = real_function(frame, without_pi(op), type, arguments);
    return builder.CreateFDiv(angle, llvm::ConstantFP::get(angle->getType(), std::numbers::pi));
  }
  Value* wide = builder.CreateFPCast(arguments[0], builder.getDoubleTy());
  Value* result = builder.CreateCall(special_function(frame.part(), op), {wide});
  return builder.CreateFPCast(result, arguments[0]->getType());
}

}  // namespace dagaz::codegen
